"""Glob: patterns, order, limits."""

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.protocol.errors import InvalidToolInput, ToolError
from agent.tools.glob import Glob
from agent.tools.globs import matcher, split_patterns
from agent.tools.limits import Limits

GLOB = Glob(Limits())


@pytest.fixture
def tree(desk):
    for age, name in enumerate(["a.py", "src/b.py", "src/deep/c.py", "src/d.ts", ".hidden/e.py", "dist/f.py"]):
        os.utime(desk.write(name, ""), (1_000 + age, 1_000 + age))
    desk.write(".ignore", "dist/\n")
    os.utime(desk.root / ".ignore", (1, 1))
    return desk


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("*.py", [".hidden/e.py", "src/deep/c.py", "src/b.py", "a.py"]),
        ("**/*.py", [".hidden/e.py", "src/deep/c.py", "src/b.py", "a.py"]),
        ("src/*.py", ["src/b.py"]),
        ("src/**/*.py", ["src/deep/c.py", "src/b.py"]),
        ("src/**", ["src/d.ts", "src/deep/c.py", "src/b.py"]),
        ("**/*.{ts,rs}", ["src/d.ts"]),
        ("./a.py", ["a.py"]),
        ("*/deep/?.py", ["src/deep/c.py"]),
        ("dist/*.py", ["dist/f.py"]),  # an ignored folder that is named is searched
        ("[ab].py", ["src/b.py", "a.py"]),
    ],
)
async def test_patterns(tree, call, pattern: str, files: list[str]) -> None:
    assert (await call(GLOB, pattern=pattern)).text.split("\n") == files


async def test_paths(tree, call, tmp_path) -> None:
    assert (await call(GLOB, pattern="*.ts", path="src")).text == "src/d.ts"
    assert (await call(GLOB, pattern=f"{tree.root}/src/*.ts")).text == "src/d.ts"
    (tmp_path / "other").mkdir()
    (tmp_path / "other/o.py").touch()
    assert (await call(GLOB, pattern="*.py", path=str(tmp_path / "other"))).text == str(tmp_path / "other/o.py")
    with pytest.raises(ToolError, match="does not exist"):
        await call(GLOB, pattern="*", path="nowhere")
    with pytest.raises(ToolError, match="is a file"):
        await call(GLOB, pattern="*", path="a.py")


async def test_nothing_found(tree, call) -> None:
    assert (await call(GLOB, pattern="*.rs")).text == "No files found"
    assert (await call(GLOB, pattern="nowhere/**/*.rs")).text.startswith("No files found")


async def test_at_most_a_hundred_newest_first(desk, call) -> None:
    for i in range(130):
        os.utime(desk.write(f"f{i:03d}", ""), (1_000 + i, 1_000 + i))
    output = await call(GLOB, pattern="f*")
    lines = output.text.split("\n")
    assert lines[0] == "f129" and len(lines) == 101
    assert lines[-1] == "[100 of 130 files, newest first; use a narrower pattern or path.]"
    assert output.details.truncated


@given(st.text("ab*?/", min_size=1, max_size=8), st.text("ab/", max_size=8))
def test_simple_patterns_mean_what_they_say(pattern: str, path: str) -> None:
    pattern = re.sub(r"\*\*+", "*", pattern).strip("/") or "a"
    shape = "".join({"*": "[^/]*", "?": "[^/]"}.get(c, re.escape(c)) for c in pattern)
    name = path if "/" in pattern else path.rpartition("/")[2]
    assert matcher([pattern])(path) == bool(re.fullmatch(shape, name))


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("**", "a/b", True),
        ("{a,b/*}.py", "b/x.py", True),
        ("{a,{b,c}}", "c", True),
        ("[!a]", "a", False),
        ("[]]", "]", True),
        ("a\\*", "a*", True),
        ("a\\*", "ab", False),
        ("a,b}", "a,b}", True),
        ("[", "[", True),
        ("[a-", "[a-", True),
        ("a\nb", "a\nb", True),
    ],
)
def test_odd_patterns(pattern: str, path: str, fits: bool) -> None:
    assert matcher([pattern])(path) is fits


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_pattern_is_read_or_refused_plainly(pattern: str, path: str) -> None:
    try:
        matcher([pattern])(path)
    except InvalidToolInput:
        return


def test_lists_of_patterns() -> None:
    assert split_patterns("*.{ts,tsx}, *.js !x*  ") == ["*.{ts,tsx}", "*.js", "!x*"]
    assert matcher(["*.js", "!x*"])("a.js") and not matcher(["*.js", "!x*"])("x.js")


def test_subject(desk) -> None:
    subject = GLOB.subject(GLOB.parse({"pattern": "/etc/**/*.conf"}), desk.root)
    assert subject.title == "Glob /etc/**/*.conf" and str(subject.paths[0]) == "/etc"
