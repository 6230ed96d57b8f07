"""The rule that a refused call suggests for `--allowed-tools` comes back from the command line as itself, and allows that call and no other."""

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.permissions.path_match import PathScope
from agent.permissions.rule_match import Call, names_call
from agent.permissions.rules import Rule, parse_rule
from agent.permissions.session_rule import session_rule
from agent.permissions.shell import plain_words
from agent.protocol.tools import Access, Subject
from agent.settings.flags import split_rules

HOME, ROOT = Path("/nowhere/home"), Path("/nowhere/project")
SCOPE = PathScope(cwd=ROOT, home=HOME)
NAMES = st.text(alphabet="ab(),[]*?!#\\^- '\"é\n\t~$.:", min_size=1, max_size=12).filter(
    lambda name: name not in (".", "..")
)


def back(rule: Rule) -> Rule:
    """The rule as the command line understands it, alone and among others."""
    (word,) = shlex.split(shlex.quote(rule.text))
    assert split_rules(word) == (rule.text,)
    assert split_rules(f"Glob,{word}, Edit") == ("Glob", rule.text, "Edit")
    return parse_rule(rule.text)


def allows(rule: Rule, tool: str, subject: Subject) -> bool:
    return names_call(rule, Call(tool, subject), SCOPE, liberal=False)


@given(st.lists(NAMES, min_size=2, max_size=4), st.sampled_from(["Read", "Edit"]))
def test_paths(names: list[str], tool: str) -> None:
    path = Path("/nowhere/else", *names)
    access = Access.READ if tool == "Read" else Access.WRITE
    rule = session_rule(tool, Subject(access, "", (path,)), (ROOT,), HOME)
    assert rule is not None
    rule = back(rule)
    assert allows(rule, tool, Subject(access, "", (path,)))
    assert not allows(rule, tool, Subject(access, "", (path.parent.parent / "other",)))


@given(st.lists(NAMES, min_size=1, max_size=2))
def test_folders_of_the_session(names: list[str]) -> None:
    root = Path("/nowhere", *names)
    rule = session_rule("Edit", Subject(Access.WRITE, "", (root / "x",)), (root,), HOME)
    assert rule is not None
    rule = back(rule)
    assert allows(rule, "Edit", Subject(Access.WRITE, "", (root / "y (1), z" / "w",)))
    assert not allows(rule, "Edit", Subject(Access.WRITE, "", (root.parent / "other",)))


@given(
    st.sampled_from(["echo", "git commit", "npm test", "make", "npm run build"]),
    st.lists(st.text(alphabet="ab,'\" =:%^-+/.é~", max_size=8), max_size=3).map(" ".join),
)
def test_commands(start: str, rest: str) -> None:
    line = f"{start} {rest}"
    subject = Subject(Access.EXECUTE, line, command=line, cwd=ROOT)
    rule = session_rule("Bash", subject, (ROOT,), HOME)
    assert (rule is None) == (plain_words(line) is None)
    if rule is not None:
        assert allows(back(rule), "Bash", subject)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("Bash(git log:*),Read", ("Bash(git log:*)", "Read")),
        ("Bash(git log:*) Read", ("Bash(git log:*)", "Read")),
        ("Bash(echo a, b) Read", ("Bash(echo a, b)", "Read")),
        ("Read(a(b).txt) Edit", ("Read(a(b).txt)", "Edit")),
        (r"Read(//x/a\)b, c) Edit", (r"Read(//x/a\)b, c)", "Edit")),
        (r"Read(//x/a\(b) Edit", (r"Read(//x/a\(b)", "Edit")),
        (r"Read(//x/a\\) Edit", (r"Read(//x/a\\)", "Edit")),
        ("", ()),
        (" , ", ()),
    ],
)
def test_how_lists_are_split(text: str, rules: tuple[str, ...]) -> None:
    assert split_rules(text) == rules
