"""Only surely plain command lines are ever allowed; hidden commands are always seen."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agent.permissions.shell import hidden_commands, plain_words

META = ";&|<>$`(){}\\#!*?[]\n\r\t\0\x1b\x7f\u00a0\u2028\u202e"
WORDS = st.sampled_from(
    ["git", "status", "-sb", "a b", "'x y'", '"q"', "npm", "--flag=1", "X=1", "é", "%d", "^", "~", "@", ",", ":", "''"]
)


@pytest.mark.parametrize("char", list(META))
def test_a_metacharacter_anywhere_is_never_plain(char: str) -> None:
    for line in (
        f"git status {char}",
        f"{char}git",
        f"git {char} status",
        f"git 'a{char}b'",
        f"g{char}it",
        f'git "{char}"',
    ):
        if char in "\n\r\t" and line.strip(" ") != line.strip():
            assert plain_words(line) is None
        assert plain_words(line) is None


@given(
    st.lists(WORDS | st.text(max_size=4), min_size=1, max_size=5).map(" ".join),
    st.sampled_from(META),
    st.integers(0, 40),
)
def test_no_line_with_a_metacharacter_is_plain(line: str, char: str, at: int) -> None:
    assert plain_words(line[:at] + char + line[at:]) is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("git status -sb", ("git", "status", "-sb")),
        ("git commit -m 'a b'", ("git", "commit", "-m", "a b")),
        ('echo "it\'s"', ("echo", "it's")),
        ("git diff HEAD~1 @^", ("git", "diff", "HEAD~1", "@^")),
        ("  ls  ", ("ls",)),
    ],
)
def test_plain_lines(line: str, words: tuple[str, ...]) -> None:
    assert plain_words(line) == words


@pytest.mark.parametrize(
    "line", ["", " ", "X=1 git", "ls ~", "ls ~root/x", "a=~/x b", "echo 'open", "x" * 10_001, "FOO+=1 x", "dd of=~/x"]
)
def test_lines_that_are_not_plain(line: str) -> None:
    assert plain_words(line) is None


@hypothesis_settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.lists(WORDS | st.text(alphabet="ab'\" =~:%^,@-+/.é", max_size=6), min_size=1, max_size=5).map(" ".join),
        min_size=20,
        max_size=60,
    )
)
def test_plain_words_are_what_a_shell_sees(lines: list[str]) -> None:
    plain = [(line, words) for line in lines if (words := plain_words(line)) is not None]
    script = "\n".join(f"printf '%s\\0' {line}; printf 'END\\0'" for line, _words in plain)
    for shell in filter(shutil.which, ("bash", "dash", "sh")):
        seen = subprocess.run([shell, "-c", script], capture_output=True, check=True).stdout.decode().split("END\0")
        assert seen[:-1] == ["".join(f"{word}\0" for word in words) for _line, words in plain]


@pytest.mark.parametrize(
    "line",
    [
        "rm x",
        "ls && rm x",
        "ls;rm x",
        "ls | rm x",
        "ls & rm x",
        "ls\nrm x",
        "ls || rm x",
        "echo $(rm x)",
        "echo `rm x`",
        "cat <(rm x)",
        '"rm" x',
        "r''m x",
        "\\rm x",
        "r\\\nm x",
        "/bin/rm x",
        "A=1 B='2' rm x",
        "A[0]=1 rm x",
        "sudo rm x",
        "sudo -u bob rm x",
        "timeout -k 5 10 rm x",
        "env A=1 rm x",
        "nice nohup rm x",
        "command rm x",
        "sh -c 'rm x'",
        'bash -lc "cd y; rm x"',
        "find . -exec rm x {} +",
        "find . -name y | xargs -n1 rm x",
        "if true; then rm x; fi",
        "for i in a; do rm x; done",
        "{ rm x; }",
        "! rm x",
        ">out rm x",
        "2>/dev/null rm x",
        "rm${IFS}x",
        "eval 'rm x'",
        "git submodule foreach rm x",
        "git bisect run rm x",
        "$'rm' x",
        "time rm x",
        "exec rm x",
        "npx rm x",
        "poetry run rm x",
        "npm exec -- rm x",
        "fakeroot rm x",
        "git -c alias.y='!rm x' y",
    ],
)
def test_a_hidden_command_is_seen(line: str) -> None:
    assert any(found == "rm x" or found.startswith("rm x ") for found in hidden_commands(line)), hidden_commands(line)


@pytest.mark.parametrize(
    "line", ["git -C /x push", "git -c a=b --no-pager push", "/usr/bin/git --git-dir=x push", "sudo git -C x push"]
)
def test_git_is_seen_through_its_options(line: str) -> None:
    assert "git push" in hidden_commands(line)


@pytest.mark.parametrize("line", ["git rm x", "echo rm x", "grep -r rm x", "npm run rm", "yarn rm x"])
def test_other_commands_are_not_taken_for_it(line: str) -> None:
    assert not any(found.startswith("rm") for found in hidden_commands(line))


@given(st.text(max_size=60))
def test_no_line_upsets_the_readers(line: str) -> None:
    plain_words(line)
    assert all(hidden_commands(line))


def test_a_long_line_is_read_in_time() -> None:
    assert hidden_commands("sudo " + "x " * 100_000)
