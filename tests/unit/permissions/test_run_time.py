"""A line that makes up its programs as it runs is asked about where a deny rule could not see them; any other is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.permissions.run_time import spelled_out
from agent.protocol.tools import Access, Subject

from .conftest import Asking

MADE_UP = [
    "r$@m x",
    "RM=rm; $RM x",
    "$(echo rm) x",
    "`echo rm` x",
    "echo rm x | sh",
    "echo rm x | bash -s",
    "printf 'rm x' | /bin/bash",
    "echo cm0= | base64 -d | sh",
    "ls | xargs rm",
    "find . -delete",
    "find . -exec rm {} +",
    'eval "$X"',
    "eval rm",
    'sh -c "$X"',
    "bash -lc 'foo'",
    "{rm,x}",
    "/bin/r? x",
    "/bin/r[m] x",
    "r{m,} x",
    "${0/x/rm} y",
    'a=(rm x); "${a[@]}"',
    ". /dev/stdin",
    "source <(echo rm x)",
    "python -c \"import os; os.remove('x')\"",
    "python3.12 -c 'x'",
    "echo x | python",
    "echo x | python3 -",
    "python < f",
    "node -e 'x'",
    "perl -ne 'unlink'",
    "alias q=rm; q x",
    "exec $X",
    "command $X",
    "sudo $X",
    "env A=b $X",
    "coproc $X",
    "! $X",
    "if $X; then :; fi",
    "while $X; do :; done",
    "[ -f a ] && $X",
    "time $X",
    "( $X )",
    "{ $X; }",
    "foo $($X)",
    '"$X" y',
    "$'\\x72m' x",
    'echo "$($X)"',
    'echo "`$X`"',
    "echo 'open",
    'echo "open',
    "echo $(open",
    "echo `open",
    "a; b & $C",
    "a;$X",
    "a | $X",
    "cat <<< $($X)",
    "diff <($X) a",
    "bash <<< 'x'",
    "f() { $1 x; }; f rm",
    "for f in a; do $f x; done",
    "cat <<EOF\n$($X)\nEOF",
    "bash <<EOF\nrm x\nEOF",
    "bash <<'EOF'\nx\nEOF",
    "a \\\n&& $X",
    "x" * 11_000,
    "a\x01b",
    "cat <<EOF\n`X`\nEOF",
]
SPELLED_OUT = [
    "cd sub && pytest -q 2>&1 | tail -3",
    "X=1 make",
    "for f in *.py; do wc -l $f; done",
    'git commit -m "fix: $X (a; b)"',
    'echo "$(date) done"',
    "echo $HOME",
    "mkdir -p src/{a,b}",
    "python script.py",
    "python -m pytest -q",
    "python3 -u a.py $X",
    "bash run.sh",
    "bash -x run.sh",
    "source .venv/bin/activate && x",
    ". ./env",
    "if [ -f a ]; then cat a; fi",
    "[[ -f a && -f b ]] || exit 1",
    "ls | grep -v x | sort -u > out.txt",
    "timeout 60 npm test",
    "find . -name '*.py' | wc -l",
    "echo $((1+2*3))",
    'test -n "$X" && echo y',
    "export A=$(pwd)",
    "node server.js &",
    'while read -r l; do echo "$l"; done < f',
    'f() { echo "$1"; }; f x',
    "ls >/dev/null 2>&1",
    "x &> log",
    "echo 'it''s' \"a 'b' $c\"",
    'grep -n "a\\"b" x',
    "cat a | python script.py",
    "diff <(sort a) <(sort b)",
    "echo a # $X",
    'FOO=$(ls) BAR="$x" make',
    "(cd a && make)",
    "~/bin/x",
    "make CC=$CC",
    "echo `date`",
    'echo "`date`"',
    "python",
    'cat <<< "$x"',
    "case $x in a) ls;; esac",
    'x=$(ls | head -1); echo "$x"',
    "sed -n '1,5p' x",
    "awk '{print $1}' x",
    'curl -s "$URL" | jq .',
    "git commit -m \"$(cat <<'EOF'\nfix\n\n- uses `foo` $X\nEOF\n)\"",
    "cat > f <<'EOF'\n$X `y`\nEOF\nls",
    "a && \\\n b",
    "# comment $X\nls",
    "cat <<EOF\n$X\nEOF",
    "cat <<-EOF | wc\n\ta\n\tEOF",
]


@pytest.mark.parametrize("command", MADE_UP)
def test_what_is_made_up_at_run_time_is_not_allowed_past_a_deny_rule(project: Asking, command: str) -> None:
    assert not spelled_out(command)
    assert project.rules(allow=["Bash"]).bash(command) == "allow"
    assert project.rules(allow=["Bash"], deny=["Bash(rm:*)"]).bash(command) != "allow"
    assert project.rules(allow=["Bash"], ask=["Bash(rm:*)"]).bash(command) == "ask"
    assert project.rules(allow=["Bash"], deny=["Read(.env)", "Bash"]).bash(command) == "deny"


@pytest.mark.parametrize("command", SPELLED_OUT)
def test_ordinary_lines_are_allowed_beside_a_deny_rule(project: Asking, command: str) -> None:
    assert spelled_out(command)
    assert project.rules(allow=["Bash"], deny=["Bash(rm:*)"]).bash(command) == "allow"


@pytest.mark.parametrize(
    "command", ["'a b' x", "\\rm x", "r''m x", "sudo rm x", "echo `rm x`", "sh -c 'rm x'", "f() { rm x; }; f"]
)
def test_what_is_hidden_but_written_is_still_denied(project: Asking, command: str) -> None:
    assert project.rules(allow=["Bash"], deny=["Bash(rm:*)", "Bash(a b:*)"]).bash(command) == "deny"


def test_the_question_names_the_rule_that_cannot_see(project: Asking) -> None:
    gate = project.rules(allow=["Bash"], deny=["Bash(rm:*)"])
    decision = gate.decide("Bash", Subject(Access.EXECUTE, "", command="$X y", cwd=project.root))
    assert decision.reason == "what it runs is made up at run time, where the rule Bash(rm:*) cannot see it"


def test_an_exact_rule_for_such_a_line_is_the_persons_own_word(project: Asking) -> None:
    assert project.rules(allow=["Bash", "Bash(find . -delete)"], deny=["Bash(rm:*)"]).bash("find . -delete") == "allow"
    assert project.rules(allow=["Bash(find . -delete)"], deny=["Bash(rm:*)"]).bash("find . -delete") == "allow"


@given(st.text(alphabet="$`'\"\\(){}<>|;&# \nabx=!~*[]", max_size=40))
def test_any_line_is_answered(line: str) -> None:
    assert spelled_out(line) in (True, False)
    assert not spelled_out(f"$X {line}")
