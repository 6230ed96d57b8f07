"""Memory that is for some files only: it is loaded when such a file is read (reference 3.4)."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from agent.files.settled import is_settled
from agent.memory.candidates import Found, folder_files, project_rules, user_rules
from agent.memory.frontmatter import path_globs, split_frontmatter
from agent.memory.loader import Loader
from agent.memory.memory_file import Memory, MemoryFile, Unreadable, read_text
from agent.memory.render import render_file
from agent.permissions.path_match import Anchored, matches
from agent.settings.paths import Places

MAX_CHARS = 40_000  # of one nested file; a result it stands beside must stay small


class NestedMemory:
    """The CLAUDE.md files below the working folder and the rules with `paths`; each is given once, until `forget`."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._given: set[str] = set()
        self._globs: dict[Path, tuple[tuple[int, int], tuple[str, ...]]] = {}

    def forget(self, given: set[str]) -> None:
        """The conversation has been cut or begun anew: `given` (real paths) is all of memory that it holds."""
        self._given = set(given)

    @property
    def given(self) -> frozenset[str]:
        """The real paths of what the conversation holds."""
        return frozenset(self._given)

    def take_back(self, given: frozenset[str]) -> None:
        """What was given since `given` has not come into the conversation."""
        self._given &= given

    def for_file(self, path: Path, excludes: Sequence[str] = ()) -> Memory:
        """What belongs to `path` (a file that was just read) and has not been given yet. Blocks: it reads files."""
        path = Path(os.path.realpath(path))
        loader = Loader(self._places, excludes, self._given)
        for found in (*self._folders(path), *self._rules(path)):
            loader.load(found)
        return loader.memory

    def _folders(self, path: Path) -> Iterator[Found]:
        """The memory of the folders between the project and the file; those above the working folder are loaded already."""
        root = self._places.project_root
        for folder in reversed(path.parents):
            below = folder.is_relative_to(root) and folder != root
            if below and not self._places.cwd.is_relative_to(folder):
                yield from folder_files(folder)

    def _rules(self, path: Path) -> Iterator[Found]:
        for found in (*user_rules(self._places), *project_rules(self._places)):
            globs = self._globs_of(found.path)
            base = found.within or self._places.project_root
            if globs and any(_fits(glob, base, path) for glob in globs):
                yield Found(found.path, found.kind, found.within, is_rule=True, globs=globs)

    def _globs_of(self, rule: Path) -> tuple[str, ...]:
        """The globs of a rule, read again when the file has changed."""
        try:
            status = rule.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._globs.get(rule)
            if known is not None and known[0] == stamp:
                return known[1]
            globs = path_globs(split_frontmatter(read_text(rule) or "")[0])
            if is_settled(status):
                self._globs[rule] = (stamp, globs)
            return globs
        except (OSError, Unreadable):
            return ()


def nested_text(file: MemoryFile) -> str:
    """One nested file as the model reads it, with what it is for."""
    scope = f"files that match {', '.join(file.globs)}" if file.globs else f"files in {file.path.parent}"
    text = file.text
    if len(text) > MAX_CHARS:
        text = f"{text[:MAX_CHARS]}\n[the rest is left out; Read {file.path} for it]"
    return render_file(MemoryFile(file.path, file.kind, text, file.imported_by), f"it applies to {scope}")


def load_reason(file: MemoryFile) -> str:
    """Why a nested file was loaded, in the words of InstructionsLoaded hooks."""
    if file.imported_by is not None:
        return "include"
    return "path_glob_match" if file.globs else "nested_traversal"


def _fits(glob: str, base: Path, path: Path) -> bool:
    segments = tuple(part for part in glob.split("/") if part not in ("", "."))
    return bool(segments) and matches(Anchored(base, segments), path)
