"""What /memory add writes and where, and what /init finds in a project without a model."""

from pathlib import Path

import pytest

from agent.memory.add import add_rule, memory_path
from agent.memory.draft import draft_memory
from agent.protocol.errors import FilesError, UsageError
from agent.settings.paths import Places


@pytest.fixture
def places(tmp_path: Path) -> Places:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return Places.resolve(tmp_path / "project", {"HOME": str(tmp_path / "home")}, managed_dir=tmp_path / "none")


def test_where_rules_go(places: Places) -> None:
    root = places.project_root
    assert memory_path(places, "user") == places.home / ".ccagent" / "CLAUDE.md"
    assert memory_path(places, "local") == root / "CLAUDE.local.md"
    assert memory_path(places, "project") == root / "CLAUDE.md"
    (root / "AGENTS.md").touch()
    assert memory_path(places, "project") == root / "AGENTS.md"
    (root / ".claude").mkdir()
    (root / ".claude" / "CLAUDE.md").touch()
    with pytest.raises(UsageError):
        memory_path(places, "project")
    (root / "CLAUDE.md").touch()
    assert memory_path(places, "project") == root / "CLAUDE.md"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, b"- use tabs\n"),
        (b"", b"- use tabs\n"),
        (b"# Rules\n\n- one\n", b"# Rules\n\n- one\n- use tabs\n"),
        (b"# Rules\nSome words.", b"# Rules\nSome words.\n\n- use tabs\n"),
        (b"a\r\n- b\r\n", b"a\r\n- b\r\n- use tabs\r\n"),
    ],
)
def test_a_rule_becomes_an_item_at_the_end(tmp_path: Path, before: bytes | None, after: bytes) -> None:
    file = tmp_path / "new" / "CLAUDE.md" if before is None else tmp_path / "CLAUDE.md"
    if before is not None:
        file.write_bytes(before)
    add_rule(file, "  use tabs ")
    assert file.read_bytes() == after


def test_a_rule_of_two_lines_stays_one_item(tmp_path: Path) -> None:
    add_rule(tmp_path / "m.md", "first\nsecond")
    assert (tmp_path / "m.md").read_text() == "- first\n  second\n"


def test_what_is_no_text_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "m.md").write_bytes(b"\0\1")
    with pytest.raises(FilesError):
        add_rule(tmp_path / "m.md", "x")
    assert (tmp_path / "m.md").read_bytes() == b"\0\1"
    (tmp_path / "folder").mkdir()
    with pytest.raises(FilesError):
        add_rule(tmp_path / "folder", "x")


def test_a_draft_names_what_is_there(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (root / "node_modules" / "x").mkdir(parents=True)
    (root / "node_modules" / "x" / "y.js").touch()
    (root / "src" / "a.ts").touch()
    (root / "src" / "b.ts").touch()
    (root / "README.md").write_text("# Shop\n\n![logo](x)\n\nSells things\nto people.\n")
    (root / "package.json").write_text('{"scripts": {"test": "vitest", "odd": 3}}')
    (root / "Makefile").write_text("X := 1\nall: build\nbuild:\n\ttsc\n.PHONY: all\n")
    (root / "pyproject.toml").write_text("[tool.ruff]\n[tool.pytest.ini_options]\n")
    text = draft_memory(root)
    assert text.startswith("# shop\n\nSells things to people.\n\nWritten in TypeScript (2 files).")
    for line in (
        "- `npm run test`: `vitest`",
        "- `npm run odd`",
        "- `make all`",
        "- `make build`",
        "- Tests: `pytest`",
        "- `ruff check .`",
        "- `src/`: 2 files",
    ):
        assert f"{line}\n" in text
    assert "node_modules" not in text
    assert "make X" not in text


@pytest.mark.parametrize(
    ("name", "text"),
    [("package.json", "{"), ("package.json", "[1]"), ("pyproject.toml", "= ="), ("package.json", "[" * 100_000)],
)
def test_a_draft_stands_broken_files(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert "## Rules" in draft_memory(tmp_path)


def test_languages_of_as_many_files_stand_by_their_names(tmp_path: Path) -> None:
    for name in ("main.ts", "main.rb", "main.py", "main.go"):
        (tmp_path / name).touch()
    assert "Written in Go (1 file), Python (1 file), Ruby (1 file)." in draft_memory(tmp_path)
