"""Which transcript a person means."""

import os
from pathlib import Path

from agent.protocol.errors import SessionNotFound, UsageError
from agent.settings.paths import Places
from agent.transcript.catalog import SAFE_ID, find_session
from tui.render.safe import clean_line

LEAST_PREFIX = 4  # characters
ENDING = ".jsonl"


def session_folders(places: Places, *, everywhere: bool) -> list[Path]:
    """This folder's sessions, or those of every folder; links to elsewhere are not followed."""
    return _folders(places.sessions_dir.parent) if everywhere else [places.sessions_dir]


def claude_folders(places: Places, *, everywhere: bool = True) -> list[Path]:
    """Where Claude Code keeps its transcripts, of every folder or of this one."""
    projects = places.claude_home / "projects"
    return _folders(projects) if everywhere else [projects / places.sessions_dir.name]


def transcript_of(places: Places, said: str) -> Path:
    """The file of the session that `said` names: by its file, its id, or the beginning of its id; ours first, then Claude Code's.

    Raises SessionNotFound, or UsageError when several begin so.
    """
    if said.endswith(ENDING) or "/" in said:
        path = places.cwd / os.path.expanduser(said)
        if os.path.isfile(path):
            return path
        raise SessionNotFound(f"There is no transcript {path}.")
    for folders in ([places.sessions_dir, *session_folders(places, everywhere=True)], claude_folders(places)):
        if (found := _in(folders, said)) is not None:
            return found
    raise SessionNotFound(f"No conversation found with session ID: {said}")


def _in(folders: list[Path], said: str) -> Path | None:
    try:
        return find_session(folders, said)
    except SessionNotFound:
        pass
    if len(said) < LEAST_PREFIX or not SAFE_ID.fullmatch(said):
        return None
    found = {path.stem: path for folder in reversed(folders) for path in folder.glob(f"{said}*{ENDING}")}
    if len(found) > 1:
        raise UsageError(
            f"{len(found)} sessions begin with {said}.",
            do=f"Say more of one: {clean_line(', '.join(sorted(found)[:5]))}",
        )
    return next(iter(found.values()), None)


def _folders(projects: Path) -> list[Path]:
    try:
        return sorted(folder for folder in projects.iterdir() if os.path.isdir(folder) and not os.path.islink(folder))
    except OSError:
        return []
