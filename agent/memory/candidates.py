"""Where memory files may be: the names in a folder, the rules folders, and the order from broad to specific (reference 3.4)."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from agent.memory.memory_file import Kind
from agent.settings.paths import Places

RULE_LIMIT = 200  # files of one rules folder


class Found(Struct, frozen=True):
    """A file to read: whose it is, the folder its target must stay in (None = anywhere), and whether it is a rule.

    `globs` are what a rule that is only for some files has been chosen by.
    """

    path: Path
    kind: Kind
    within: Path | None = None
    is_rule: bool = False
    globs: tuple[str, ...] = ()


def candidates(places: Places, folders: Sequence[Path] = ()) -> Iterator[Found]:
    """Every place a memory file of the session's start may be, in order; `folders` were added to the session."""
    yield Found(places.managed_dir / "CLAUDE.md", "Managed")
    yield Found(places.claude_home / "CLAUDE.md", "User")
    yield from user_rules(places)
    yield Found(places.ccagent_home / "CLAUDE.md", "User")
    for folder in (*reversed(places.cwd.parents), places.cwd):
        yield from folder_files(folder)
    yield from project_rules(places)
    for folder in folders:
        yield from folder_files(folder)
        yield from _rules(folder / ".claude" / "rules", "Project", folder)


def folder_files(folder: Path) -> Iterator[Found]:
    """CLAUDE.md, else .claude/CLAUDE.md, else AGENTS.md; then CLAUDE.local.md."""
    names = ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md")
    if first := next((name for name in names if os.path.lexists(folder / name)), None):
        yield Found(folder / first, "Project", folder)
    yield Found(folder / "CLAUDE.local.md", "Local", folder)


def user_rules(places: Places) -> Iterator[Found]:
    """The person's own rules."""
    yield from _rules(places.claude_home / "rules", "User", None)


def project_rules(places: Places) -> Iterator[Found]:
    """The rules of the project and of the folder the session is in."""
    for folder in dict.fromkeys((places.project_root, places.cwd)):
        yield from _rules(folder / ".claude" / "rules", "Project", folder)


def _rules(folder: Path, kind: Kind, within: Path | None) -> Iterator[Found]:
    """The Markdown files below a rules folder, by name; only a person's own linked folders are walked."""
    for path in markdown_below(folder, RULE_LIMIT, follow=within is None):
        yield Found(path, kind, within, is_rule=True)


def markdown_below(folder: Path, limit: int, *, follow: bool) -> list[Path]:
    """Up to `limit` Markdown files below `folder`, by name; with `follow` also in linked folders, each real folder once."""
    paths: list[Path] = []
    walked: set[str] = set()
    for parent, folders, names in os.walk(folder, followlinks=follow):
        folders.sort()
        real = os.path.realpath(parent)
        if real in walked:
            folders.clear()
            continue
        walked.add(real)
        paths += [Path(parent) / name for name in sorted(names) if name.endswith(".md")]
        if len(paths) >= limit or len(walked) >= limit:
            break
    return paths[:limit]
