"""Loads CLAUDE.md files from broad to specific, with their imports (reference 3.4)."""

from collections.abc import Sequence
from pathlib import Path

from agent.memory.candidates import candidates
from agent.memory.instructions import compact_instructions
from agent.memory.loader import Loader
from agent.memory.memory_file import Memory, MemoryFile
from agent.memory.render import render_memory
from agent.settings.paths import Places

__all__ = ["Memory", "MemoryFile", "compact_instructions", "load_memory", "render_memory"]


def load_memory(
    places: Places, *, excludes: Sequence[str] = (), folders: Sequence[Path] = (), seen: set[str] | None = None
) -> Memory:
    """Managed, user, then every folder from the root to cwd, then the project's rules, then added `folders`; each file once.

    `excludes` are globs on absolute paths; `seen` collects the real paths that were read. A file of the project that leads out of it is
    left out and named, and so are missing imports, unreadable, binary and too large files.
    """
    loader = Loader(places, excludes, seen)
    for found in candidates(places, folders):
        loader.load(found)
    return loader.memory
