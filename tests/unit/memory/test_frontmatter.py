"""The YAML subset that rules and commands are written in."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agent.memory.frontmatter import as_list, expand_braces, path_globs, read_frontmatter, split_frontmatter


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("description: Review a change\n", {"description": "Review a change"}),
        ('description: "Quoted: yes"\n', {"description": "Quoted: yes"}),
        ("Argument-Hint: '[pr] [priority]'\n", {"argument-hint": "[pr] [priority]"}),
        ("allowed-tools: [Read, 'Bash(git add:*)']\n", {"allowed-tools": ("Read", "Bash(git add:*)")}),
        ('paths:\n  - src/**\n  - "*.md"\n', {"paths": ("src/**", "*.md")}),
        ("paths:\n- a\n- b # why\n", {"paths": ("a", "b")}),
        ("description: >\n  two\n  lines\nmodel: opus\n", {"description": "two lines", "model": "opus"}),
        ("description: |\n  two\n  lines\n", {"description": "two\nlines"}),
        ("model: opus # the big one\n", {"model": "opus"}),
        ("a:\nb: null\nc: ~\nd: []\n", {}),
        ("not yaml at all\n: x\n  indented: y\n", {}),
    ],
)
def test_what_is_understood(text: str, expected: dict[str, object]) -> None:
    assert read_frontmatter(text) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ()),
        ("Bash(git add:*), Read", ("Bash(git add:*)", "Read")),
        ("Bash(a, b), *.{ts,tsx}", ("Bash(a, b)", "*.{ts,tsx}")),
        (("a", "b"), ("a", "b")),
        (") , x", (")", "x")),
    ],
)
def test_lists(value: str | tuple[str, ...] | None, expected: tuple[str, ...]) -> None:
    assert as_list(value) == expected


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("*.{ts,tsx}", ["*.ts", "*.tsx"]),
        ("{a,b}/{c,d}", ["a/c", "a/d", "b/c", "b/d"]),
        ("{a,{b,c}}", ["a", "b", "c"]),
        ("{a}", ["{a}"]),
        ("{", ["{"]),
    ],
)
def test_braces(glob: str, expected: list[str]) -> None:
    assert sorted(expand_braces(glob)) == sorted(expected)


def test_braces_have_a_budget() -> None:
    assert len(expand_braces("{a,b,c,d,e,f,g,h,i,j}" * 9)) <= 1_000
    assert len(path_globs("paths: [" + ", ".join("{a,b}{c,d}" for _ in range(900)) + "]\n")) <= 1_000


@given(st.text(alphabet="ab:-[]{},|>\"'#\n \t~", max_size=60))
@hypothesis_settings(deadline=None)
def test_nothing_upsets_it(text: str) -> None:
    for value in read_frontmatter(text).values():
        assert as_list(value) is not None
    path_globs(text)
    head, rest = split_frontmatter(text)
    assert head + rest in text or text.startswith("---")
