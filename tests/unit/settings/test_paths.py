"""Where a session finds its folders."""

from pathlib import Path

import pytest

from agent.settings.paths import Places, git_root, slug


def test_homes_follow_the_environment(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path / "h"), "CCAGENT_HOME": "~/elsewhere", "CLAUDE_CONFIG_DIR": str(tmp_path / "c")}
    places = Places.resolve(tmp_path, env)
    assert places.ccagent_home == tmp_path / "h" / "elsewhere"
    assert places.claude_home == tmp_path / "c"
    assert places.trust_file == tmp_path / "h" / "elsewhere" / "trust.json"
    assert Places.resolve(tmp_path, {"HOME": str(tmp_path)}).ccagent_home == tmp_path / ".ccagent"


def test_project_root_is_the_git_root_above(tmp_path: Path) -> None:
    (tmp_path / "repo" / "a" / "b").mkdir(parents=True)
    (tmp_path / "repo" / ".git").write_text("gitdir: elsewhere\n")  # a worktree
    assert Places.resolve(tmp_path / "repo" / "a" / "b", {}).project_root == tmp_path / "repo"
    assert git_root(tmp_path / "repo") == tmp_path / "repo"
    (tmp_path / "lone").mkdir()
    assert Places.resolve(tmp_path / "lone", {}).project_root == tmp_path / "lone"


def test_cwd_is_free_of_symlinks(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert Places.resolve(tmp_path / "link", {}).cwd == tmp_path / "real"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/u/my.proj_1", "-home-u-my-proj-1"),
        ("/a b/é", "-a-b--"),
        ("/x/😀", "-x---"),  # two UTF-16 units
    ],
)
def test_slug_replaces_what_is_no_letter_or_digit(path: str, name: str) -> None:
    assert slug(Path(path)) == name


def test_a_long_slug_ends_in_a_hash_of_the_whole_path() -> None:
    first, second = (slug(Path("/" + "a" * 250 + tail)) for tail in "xy")
    assert first != second
    assert first[:201] == "-" + "a" * 199 + "-"
    assert first[201:].isalnum()


def test_slug_hash_is_the_32_bit_string_hash() -> None:
    # "/" + 200 zeros: computed by hand with h = h * 31 + c in 64-bit integers
    text = "/" + "0" * 200
    value = 0
    for char in text:
        value = (value * 31 + ord(char)) % 2**32
    signed = value - 2**32 if value >= 2**31 else value
    assert int(slug(Path(text))[201:], 36) == abs(signed)
