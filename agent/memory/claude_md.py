"""Loads CLAUDE.md files from broad to specific, with their imports (reference 3.4)."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from agent.memory.exclude import is_excluded
from agent.memory.instructions import compact_instructions
from agent.memory.markdown import has_paths, imports_in, split_frontmatter, trimmed, without_comments
from agent.memory.memory_file import Kind, Memory, MemoryFile, Unreadable, read_text
from agent.memory.render import render_memory
from agent.settings.paths import Places

__all__ = ["Memory", "MemoryFile", "compact_instructions", "load_memory", "render_memory"]

IMPORT_DEPTH = 4  # hops
RULE_LIMIT = 200  # files of one rules folder


class _Found(Struct, frozen=True):
    """A file to read: whose it is, the folder its target must stay in (None = anywhere), and whether it is a rule."""

    path: Path
    kind: Kind
    within: Path | None = None
    is_rule: bool = False


def load_memory(places: Places, *, excludes: Sequence[str] = ()) -> Memory:
    """Managed, user, then every folder from the root to cwd, then the project's rules; each file once.

    `excludes` are globs on absolute paths. A file of the project that leads out of it is left out and named, and so are missing
    imports, unreadable, binary and too large files.
    """
    loader = _Loader(places, excludes)
    for found in _candidates(places):
        loader.load(found)
    return Memory(tuple(loader.files), tuple(dict.fromkeys(loader.notices)))


class _Loader:
    def __init__(self, places: Places, excludes: Sequence[str]) -> None:
        self._places = places
        self._excludes = excludes
        self._seen: set[str] = set()
        self.files: list[MemoryFile] = []
        self.notices: list[str] = []

    def load(self, found: _Found, imported_by: Path | None = None, depth: int = 0) -> bool:
        """Read one file and what it imports; whether there was such a file."""
        real = Path(os.path.realpath(found.path))
        if str(real) in self._seen:
            return True
        if is_excluded(found.path, self._excludes) or is_excluded(real, self._excludes):
            return True
        if not self._may_load(found, real):
            if os.path.lexists(found.path):
                self.notices.append(f"{found.path} left out: it leads out of the project")
            return os.path.lexists(found.path)
        try:
            text = read_text(real)
        except Unreadable as error:
            self.notices.append(f"{found.path} left out: {error}")
            return True
        if text is None:
            return False
        self._seen.add(str(real))
        self._take(found, text, imported_by, depth)
        return True

    def _take(self, found: _Found, text: str, imported_by: Path | None, depth: int) -> None:
        if found.is_rule:
            frontmatter, text = split_frontmatter(text)
            if has_paths(frontmatter):
                return  # loaded when a file it is for is read
        text = without_comments(text).strip()
        if text:
            self.files.append(MemoryFile(found.path, found.kind, text, imported_by))
        for word in imports_in(text):
            self._import(found, word, depth)

    def _import(self, found: _Found, word: str, depth: int) -> None:
        for name in dict.fromkeys((word, trimmed(word))):
            target = self._target(found.path, name)
            if target is None or not os.path.lexists(target):
                continue
            if depth >= IMPORT_DEPTH and os.path.realpath(target) not in self._seen:
                self.notices.append(f"@{word} in {found.path} left out: imports go {IMPORT_DEPTH} files deep")
            else:
                self.load(_Found(target, found.kind, found.within), found.path, depth + 1)
            return
        if _looks_like_path(trimmed(word)):
            self.notices.append(f"@{trimmed(word)} in {found.path} not found")

    def _target(self, importer: Path, name: str) -> Path | None:
        if not name or "\0" in name or len(name) > 1000:
            return None
        if name.startswith("~/"):
            return self._places.home / name[2:]
        return Path(os.path.normpath(importer.parent / name))

    def _may_load(self, found: _Found, real: Path) -> bool:
        """The project's files stay in the project; a person's own Markdown in the two homes may be imported."""
        if found.within is None or real.is_relative_to(found.within) or real.is_relative_to(self._places.project_root):
            return True
        homes = (self._places.claude_home, self._places.ccagent_home)
        return real.suffix == ".md" and any(real.is_relative_to(home) for home in homes)


def _candidates(places: Places) -> Iterator[_Found]:
    """Every place a memory file may be, in order."""
    yield _Found(places.managed_dir / "CLAUDE.md", "Managed")
    yield _Found(places.claude_home / "CLAUDE.md", "User")
    yield from _rules(places.claude_home / "rules", "User", None)
    yield _Found(places.ccagent_home / "CLAUDE.md", "User")
    for folder in (*reversed(places.cwd.parents), places.cwd):
        yield from _folder_files(folder)
    for folder in dict.fromkeys((places.project_root, places.cwd)):
        yield from _rules(folder / ".claude" / "rules", "Project", folder)


def _folder_files(folder: Path) -> Iterator[_Found]:
    """CLAUDE.md, else .claude/CLAUDE.md, else AGENTS.md; then CLAUDE.local.md."""
    names = ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md")
    if first := next((name for name in names if os.path.lexists(folder / name)), None):
        yield _Found(folder / first, "Project", folder)
    yield _Found(folder / "CLAUDE.local.md", "Local", folder)


def _rules(folder: Path, kind: Kind, within: Path | None) -> Iterator[_Found]:
    """The Markdown files below a rules folder, by name; linked folders are not walked."""
    paths: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders.sort()
        paths += [Path(parent) / name for name in sorted(names) if name.endswith(".md")]
        if len(paths) > RULE_LIMIT:
            break
    for path in paths[:RULE_LIMIT]:
        yield _Found(path, kind, within, is_rule=True)


def _looks_like_path(word: str) -> bool:
    """Whether a missing import is worth a line: `@docs/x.md` is, `@someone` and `a@b.c` are not."""
    return word.startswith(("./", "../", "/", "~/")) or word.endswith((".md", ".txt"))
