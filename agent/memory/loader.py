"""Reads memory files and what they import, each once."""

import os
from collections.abc import Sequence
from pathlib import Path

from agent.memory.candidates import Found
from agent.memory.exclude import is_excluded
from agent.memory.frontmatter import path_globs, split_frontmatter
from agent.memory.markdown import imports_in, trimmed, without_comments
from agent.memory.memory_file import Memory, MemoryFile, Unreadable, read_text
from agent.protocol.text import few
from agent.settings.paths import Places

IMPORT_DEPTH = 4  # hops


class Loader:
    """`seen` holds the real paths that were read; hand in another loader's to leave out what it has given."""

    def __init__(self, places: Places, excludes: Sequence[str], seen: set[str] | None = None) -> None:
        self._places = places
        self._excludes = excludes
        self._files: list[MemoryFile] = []
        self._notices: list[str] = []
        self.seen = set() if seen is None else seen

    @property
    def memory(self) -> Memory:
        """What was read, and what was left out."""
        return Memory(tuple(self._files), few(list(dict.fromkeys(self._notices))))

    def load(self, found: Found, imported_by: Path | None = None, depth: int = 0) -> bool:
        """Read one file and what it imports; whether there was such a file."""
        real = Path(os.path.realpath(found.path))
        if str(real) in self.seen:
            return True
        if is_excluded(found.path, self._excludes) or is_excluded(real, self._excludes):
            return True
        if not self._may_load(found, real):
            if os.path.lexists(found.path):
                self._notices.append(f"{found.path} left out: it leads out of the project")
            return os.path.lexists(found.path)
        try:
            text = read_text(real)
        except Unreadable as error:
            self._notices.append(f"{found.path} left out: {error}")
            return True
        if text is None:
            return False
        self._take(found, real, text, imported_by, depth)
        return True

    def _take(self, found: Found, real: Path, text: str, imported_by: Path | None, depth: int) -> None:
        if found.is_rule:
            frontmatter, text = split_frontmatter(text)
            if path_globs(frontmatter) and not found.globs:
                return  # loaded when a file it is for is read
        self.seen.add(str(real))
        text = without_comments(text).strip()
        if text:
            self._files.append(MemoryFile(found.path, found.kind, text, imported_by, found.globs))
        for word in imports_in(text):
            self._import(found, word, depth)

    def _import(self, found: Found, word: str, depth: int) -> None:
        for name in dict.fromkeys((word, trimmed(word))):
            target = self._target(found.path, name)
            if target is None or not os.path.lexists(target):
                continue
            if depth >= IMPORT_DEPTH and os.path.realpath(target) not in self.seen:
                self._notices.append(f"@{word} in {found.path} left out: imports go {IMPORT_DEPTH} files deep")
            else:
                self.load(Found(target, found.kind, found.within), found.path, depth + 1)
            return
        if _looks_like_path(trimmed(word)):
            self._notices.append(f"@{trimmed(word)} in {found.path} not found")

    def _target(self, importer: Path, name: str) -> Path | None:
        if not name or "\0" in name or len(name) > 1000:
            return None
        if name.startswith("~/"):
            return self._places.home / name[2:]
        return Path(os.path.normpath(importer.parent / name))

    def _may_load(self, found: Found, real: Path) -> bool:
        """The project's files stay in the project; a person's own Markdown in the two homes may be imported."""
        if found.within is None or real.is_relative_to(found.within) or real.is_relative_to(self._places.project_root):
            return True
        homes = (self._places.claude_home, self._places.ccagent_home)
        return real.suffix == ".md" and any(real.is_relative_to(home) for home in homes)


def _looks_like_path(word: str) -> bool:
    """Whether a missing import is worth a line: `@docs/x.md` is, `@someone` and `a@b.c` are not."""
    return word.startswith(("./", "../", "/", "~/")) or word.endswith((".md", ".txt"))
