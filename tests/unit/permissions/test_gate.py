"""The gate's verdicts on commands and in each mode."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agent.permissions.modes import Mode
from agent.protocol.tools import Access, Subject

from .conftest import Asking

MODES = list(Mode)


@pytest.mark.parametrize(
    "tail", ["&& touch P1", "; touch P2", "| tee P3", "& touch P4", "\ntouch P5", "|| touch P6", "> P7"]
)
def test_a_chain_is_never_allowed_by_its_first_command(project: Asking, tail: str) -> None:
    gate = project.rules(allow=["Bash(git status:*)", "Bash(git:*)", "Bash(git *)"], deny=["Bash(rm:*)"])
    assert gate.bash("git status") == "allow"
    assert gate.bash(f"git status {tail}") == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "X=`touch P` npm --version",
        "FOO[$(touch P)]=1 echo a",
        'echo "$\\\n(touch P)"',
        "echo ${v@P}",
        "find . -exec touch P \\;",
        "find . -exec touch P +",
        "find . -delete",
        "find . -fprint P",
        "echo <(touch P)",
        "LD_PRELOAD=./x.so echo a",
        'GIT_SSH_COMMAND="touch P" git fetch',
        "git -c core.pager=x log",
        "git --exec-path=/tmp log",
        "git diff --output=P",
        "git diff --outp=P",
        "git diff -oP",
        "git clone ext::sh x",
        "git config alias.x y",
        "git grep -Otouch x",
        "sort -o P x",
        "sort -uoP x",
        "sort --compress-prog=x y",
        "rg --pre=x y",
        "tar xf a --checkpoint-action=exec=x",
        "tar -I x -xf a",
        "sed -i s/a/b/ x",
        "awk x",
        "env touch P",
        "xargs touch P",
        "sudo ls",
        "timeout 5 ls",
        "bash -c ls",
        "go test -exec x",
        "npm run test --script-shell=x",
        "curl -o P http://x",
        "./git status",
        "/tmp/sort x",
        "uniq a b",
        "less x",
        "date -s 1",
        "fd -x touch",
        "rsync -e x a b",
        "tar xIf sh a",
        "iconv -o P x",
        "anything --output=P",
        "anything --exec x",
        "pytest -p x",
        "pytest --junitxml=P",
        "go env -w A=b",
        "go build -ldflags=-extld=x",
        "openssl enc -out P",
        "sqlite3 db .shell",
        "git remote-ext x y",
        "git interpret-trailers --in-place P",
    ],
)
def test_options_that_write_or_run_are_asked_about(project: Asking, command: str) -> None:
    name = command.split()[0]
    allow = [
        f"Bash({word}:*)"
        for word in (
            "npm",
            "echo",
            "find",
            "git",
            "sort",
            "rg",
            "tar",
            "go",
            "curl",
            "uniq",
            "less",
            "date",
            "fd",
            name,
        )
    ]
    assert project.rules(allow=allow).bash(command) == "ask"


@pytest.mark.parametrize("rule", ["Bash", "Bash(*)"])
@pytest.mark.parametrize("command", ["cd sub && pytest -q 2>&1 | tail -3", "X=1 make", "sed -i s/a/b/ x", "ls *.py"])
def test_the_bare_name_allows_every_command_but_what_steers_later_runs(
    project: Asking, rule: str, command: str
) -> None:
    gate = project.rules(allow=[rule], deny=["Bash(rm:*)"])
    assert gate.bash(command) == "allow"
    assert gate.bash(f"{command}; rm x") == "deny"
    for tail in ("cp x .git/hooks/pre-commit", "cp -t.git x", "echo x > ~/.bashrc", "tee .claude/settings.json <x"):
        assert gate.bash(f"{command}\n{tail}") == "ask"


@pytest.mark.parametrize(
    "command",
    ["ls -lo", "grep -on x a", "ps -o pid", "gofmt -l .", "eslint --ext .ts src", "cargo test -- --nocapture"],
)
def test_options_that_only_look_like_that_are_not_asked_about(project: Asking, command: str) -> None:
    assert project.rules(allow=[f"Bash({command.split()[0]}:*)"]).bash(command) == "allow"


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Bash(npm run test:*)", "npm run test -- --watch"),
        ("Bash(git commit:*)", "git commit -m 'a b'"),
        ("Bash(find:*)", "find . -name x -type f"),
        ("Bash(sort:*)", "sort -k2,2 -n x"),
        ("Bash(make *)", "make test"),
        ("Bash(* --version)", "node --version"),
        ("Bash(sed -i s/a/b/ x)", "sed -i s/a/b/ x"),
        ("Bash", "make all"),
    ],
)
def test_allow_rules_allow(project: Asking, rule: str, command: str) -> None:
    assert project.bash(command) == "ask"
    assert project.rules(allow=[rule]).bash(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "cp x .git/hooks/pre-commit",
        "cp -t.git/hooks x",
        "cp -rt.git/hooks x",
        "tee .claude/settings.json",
        "mv x ~x/.bashrc",
        "dd if=x of=.git/config",
        "touch sub/.mcp.json",
    ],
)
def test_a_wide_rule_does_not_reach_what_steers_later_runs(project: Asking, command: str) -> None:
    name = command.split()[0]
    assert project.rules(allow=[f"Bash({name}:*)", "Bash"]).bash(command) == "ask"
    assert project.rules(allow=[f"Bash({name}:*)"]).bash(f"{name} x y.git") == "allow"


def test_no_wide_rule_counts_inside_a_protected_folder(project: Asking) -> None:
    gate = project.rules(allow=["Bash(cp:*)"])
    for cwd, verdict in ((project.root, "allow"), (project.root / ".git", "ask")):
        assert gate.decide("Bash", Subject(Access.EXECUTE, "", command="cp a b", cwd=cwd)).verdict.value == verdict


ALLOWED = ["Bash(git:*)", "Bash(echo *)", "Bash(ls:*)", "Bash(* *)"]
PIECES = st.sampled_from(
    [
        "git",
        "echo",
        "ls",
        "cat",
        "grep",
        "status",
        "-la",
        "a.py",
        "'",
        '"',
        "X=1",
        "touch",
        "--output=p",
        "..",
        "/",
        "~",
    ]
)


@given(
    st.lists(PIECES | st.text(max_size=3), min_size=1, max_size=6).map(" ".join),
    st.sampled_from(list(";&|<>$`(){}\\#!*?[]\n\r\0\x1b")),
    st.integers(0, 30),
    st.sampled_from([Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.PLAN, Mode.DONT_ASK]),
)
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
def test_no_command_with_a_metacharacter_is_ever_allowed(
    project: Asking, line: str, char: str, at: int, mode: Mode
) -> None:
    assert project.rules(allow=ALLOWED).bash(line[:at] + char + line[at:], mode) != "allow"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("command", ["rm x", "ls && sudo rm x", "bash -c 'rm x'", "rm"])
def test_deny_beats_allow_in_every_mode(project: Asking, mode: Mode, command: str) -> None:
    gate = project.rules(allow=["Bash", "Bash(rm:*)", f"Bash({command})"], deny=["Bash(rm:*)"], ask=["Bash(rm:*)"])
    assert gate.bash(command, mode) == "deny"


def test_ask_beats_allow(project: Asking) -> None:
    gate = project.rules(allow=["Bash(git push:*)", "Edit"], ask=["Bash(git push:*)", "Edit(src/**)"])
    assert gate.bash("git push origin") == "ask"
    assert gate.write("src/b.py", Mode.ACCEPT_EDITS) == "ask"
    assert gate.write("a.py") == "allow"
    assert gate.bash("git push origin", Mode.DONT_ASK) == "deny"
    assert gate.bash("git push origin", Mode.BYPASS) == "allow"


@pytest.mark.parametrize(
    ("mode", "read", "read_outside", "write", "run", "look"),
    [
        (Mode.DEFAULT, "allow", "ask", "ask", "ask", "allow"),
        (Mode.ACCEPT_EDITS, "allow", "ask", "allow", "ask", "allow"),
        (Mode.PLAN, "allow", "ask", "deny", "deny", "allow"),
        (Mode.DONT_ASK, "allow", "deny", "deny", "deny", "allow"),
        (Mode.BYPASS, "allow", "allow", "allow", "allow", "allow"),
    ],
)
def test_modes(project: Asking, mode: Mode, read: str, read_outside: str, write: str, run: str, look: str) -> None:
    verdicts = (
        project.read("a.py", mode),
        project.read("../outside.txt", mode),
        project.write("a.py", mode),
        project.bash("make", mode),
        project.bash("ls src", mode),
    )
    assert verdicts == (read, read_outside, write, run, look)


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "ls -la src",
        "cat a.py src/b.py",
        "head -n 3 a.py",
        "tail -5 a.py",
        "wc -l a.py",
        "pwd",
        "which python3",
        "grep -rn x src",
        "grep -i 'a b' a.py",
        "git status",
        "git status -sb",
        "git log --oneline -5",
        "git diff --stat HEAD~1",
        "git show HEAD",
        "git --no-pager diff",
    ],
)
def test_reading_commands_need_no_question(project: Asking, command: str) -> None:
    assert project.bash(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "cat /etc/passwd",
        "cat ../outside.txt",
        "cat to-outside",
        "cat src/../../outside.txt",
        "ls /",
        "tail -f a.py",
        "grep -f /etc/passwd x",
        "grep -f../outside.txt x",
        "grep -R x .",
        "grep --file=x y",
        "wc --files0-from=x",
        "git diff --no-index a b",
        "git log --output=x",
        "git -C .. status",
        "git branch x",
        "git diff --ext-diff",
        "ls ~",
        "cat -",
        "sort a.py",
        "which ./x",
        "echo x",
        "git",
        "git status --x=y",
    ],
)
def test_what_may_be_more_than_reading_is_asked(project: Asking, command: str) -> None:
    assert project.bash(command) == "ask"


def test_reading_commands_respect_read_rules(project: Asking) -> None:
    gate = project.rules(deny=["Read(secrets/**)"])
    for command in ("cat secrets/k", "cat to-secret", "grep -r x .", "git show HEAD", "ls secrets"):
        assert gate.bash(command) == "ask", command
    for command in ("cat a.py", "ls", "git status"):
        assert gate.bash(command) == "allow", command


def test_without_a_folder_no_command_is_known_to_read(project: Asking) -> None:
    assert project.decide("Bash", Subject(Access.EXECUTE, "", command="ls")).verdict.value == "ask"


def test_a_planted_repository_is_not_asked_for_its_status(project: Asking) -> None:
    planted = project.root / "planted"
    planted.mkdir()
    (planted / "HEAD").write_text("ref: refs/heads/main\n")
    for cwd, verdict in ((project.root / "src", "allow"), (planted, "ask")):
        subject = Subject(Access.EXECUTE, "", command="git status", cwd=cwd)
        assert project.decide("Bash", subject).verdict.value == verdict
