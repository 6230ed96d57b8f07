"""Path specifiers: gitignore syntax and where it starts."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.permissions.path_match import PathScope, anchor, literal, matches

SCOPE = PathScope(cwd=Path("/w/p"), home=Path("/home/u"))


def named(spec: str, path: str, *, anywhere: bool = False, base: str | None = None) -> bool:
    return matches(anchor(spec, Path(base) if base else None, SCOPE, anywhere=anywhere), Path(path))


@pytest.mark.parametrize(
    ("spec", "path", "expected"),
    [
        ("a.py", "/w/p/a.py", True),
        ("a.py", "/w/p/x/y/a.py", True),
        ("a.py", "/w/a.py", False),
        ("./a.py", "/w/p/x/a.py", False),
        ("./a.py", "/w/p/a.py", True),
        ("*.env", "/w/p/x/.env", True),
        ("*.env", "/w/p/x/env", False),
        ("src/*.py", "/w/p/src/a.py", True),
        ("src/*.py", "/w/p/src/x/a.py", False),
        ("src/*.py", "/w/p/x/src/a.py", False),
        ("src/**", "/w/p/src/x/a.py", True),
        ("src/**", "/w/p/src", False),
        ("src/**", "/w/p/x/src/a.py", False),
        ("src/**/t.py", "/w/p/src/t.py", True),
        ("src/**/t.py", "/w/p/src/a/b/t.py", True),
        ("**/t.py", "/w/p/t.py", True),
        ("secrets", "/w/p/x/secrets/k", True),
        ("secrets/", "/w/p/secrets/k", True),
        ("//etc/**", "/etc/passwd", True),
        ("//etc", "/etc/passwd", True),
        ("//etc/**", "/w/p/etc/passwd", False),
        ("~/.ssh/**", "/home/u/.ssh/id", True),
        ("~/.ssh/**", "/home/v/.ssh/id", False),
        ("../q/*", "/w/q/a", True),
        ("[ab].py", "/w/p/a.py", True),
        ("[!ab].py", "/w/p/a.py", False),
        ("[^ab].py", "/w/p/c.py", True),
        ("\\*.py", "/w/p/a.py", False),
        ("\\*.py", "/w/p/*.py", True),
        ("?.py", "/w/p/a.py", True),
        ("x//y", "/w/p/x/y", True),
    ],
)
def test_specifiers(spec: str, path: str, expected: bool) -> None:
    assert named(spec, path) is expected


def test_a_leading_slash_starts_at_the_rules_file() -> None:
    assert named("/x/**", "/proj/x/1", base="/proj")
    assert named("/x/**", "/w/p/x/1")
    assert not named("/x/**", "/w/p/x/1", base="/proj")


def test_a_single_folder_counts_at_any_depth_for_deny() -> None:
    assert named("src/**", "/w/p/x/src/a.py", anywhere=True)
    assert not named("src/lib/**", "/w/p/x/src/lib/a.py", anywhere=True)


def test_case_folds_only_when_asked() -> None:
    anchored = anchor("Secrets/**", None, SCOPE, anywhere=True)
    assert matches(anchored, Path("/w/P/sEcRets/K"), fold=True)
    assert not matches(anchored, Path("/w/p/secrets/K"))


SEGMENT = st.text(alphabet="ab*?[]!^\\-. é", min_size=1, max_size=5)


@given(
    st.lists(SEGMENT, min_size=1, max_size=5),
    st.lists(st.text(alphabet="ab[]*!.é", min_size=1, max_size=4), min_size=1, max_size=5),
)
def test_no_pattern_upsets_the_matcher(segments: list[str], parts: list[str]) -> None:
    path = Path("/w/p").joinpath(*parts)
    for prefix in ("", "/", "//", "./", "~/"):
        anchored = anchor(prefix + "/".join(segments), None, SCOPE, anywhere=False)
        assert matches(anchored, path) in (True, False)


@given(
    st.lists(
        st.text(alphabet="ab[]*!?\\#. é", min_size=1, max_size=4).filter(lambda t: t not in (".", "..")),
        min_size=1,
        max_size=4,
    )
)
def test_a_literal_names_its_path_and_nothing_beside_it(parts: list[str]) -> None:
    path = Path("/w").joinpath(*parts)
    anchored = anchor(literal(path), None, SCOPE, anywhere=False)
    assert matches(anchored, path)
    assert matches(anchored, path / "below")
    assert not matches(anchored, path.with_name(path.name + "x"))
    assert not matches(anchored, path.parent)


@given(st.integers(1, 12), st.integers(1, 12))
def test_double_stars_agree_with_counting(stars: int, depth: int) -> None:
    pattern = "//r/" + "**/" * stars + "end"
    assert named(pattern, "/r/" + "x/" * depth + "end")
    assert not named(pattern, "/r/" + "x/" * depth + "other")


def test_a_hostile_pattern_takes_no_time() -> None:
    assert not named("//" + "**/a*a*a*a*b/" * 300 + "z", "/" + "aaaaaaaaaaaaaaaaaaaa/" * 300)
