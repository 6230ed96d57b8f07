"""Which sessions there are, told from the two ends of their files."""

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from msgspec import Struct

from agent.protocol.errors import SessionNotFound, TranscriptError
from agent.transcript.decode import decode_entry
from agent.transcript.entries import Entry, MessageEntry, MetaEntry
from agent.transcript.lines import read_head
from agent.transcript.store import read_lines

FIRST_LINES = 200  # how far the first prompt is looked for
TAIL = 64 * 1024  # bytes at the end in which the latest title is looked for
CHUNK = 1 << 20
MESSAGE_MARKS = (b'"type":"user"', b'"type":"assistant"')
SAFE_ID = re.compile(r"[A-Za-z0-9_-]+")
TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}  # the earlier kind wins
COMMAND_TAGS = ("<command-", "<local-command-")


class SessionInfo(Struct, frozen=True, kw_only=True):
    """One session as a list shows it; `size` in bytes; `messages` counts records, in Claude Code's files one for each block."""

    id: str
    path: Path
    title: str
    first_prompt: str
    cwd: str
    mtime: datetime
    size: int
    messages: int


def list_sessions(folder: Path) -> list[SessionInfo]:
    """The sessions recorded in `folder`, most recently written first; files without a message are left out."""
    found = [info for path in _newest_first(folder) if (info := describe(path)) is not None]
    return [info for info in found if info.messages]


def latest_session(folder: Path) -> Path | None:
    """The most recently written session with a message in it, or None."""
    return next((path for path in _newest_first(folder) if _count(path)), None)


def find_session(folders: Iterable[Path], session_id: str) -> Path:
    """The file of `session_id` in the first of the `folders` that has it; raises SessionNotFound."""
    if SAFE_ID.fullmatch(session_id):
        for folder in folders:
            path = folder / f"{session_id}.jsonl"
            if path.is_file():
                return path
    raise SessionNotFound(f"No conversation found with session ID: {session_id}")


def describe(path: Path) -> SessionInfo | None:
    """What a list says of the session at `path`, or None when it cannot be read."""
    try:
        status = path.stat()
        head = list(islice(read_lines(path), FIRST_LINES))
        tail = _last_lines(path)
        messages = _count(path)
    except (OSError, TranscriptError):
        return None
    return SessionInfo(
        id=path.stem,
        path=path,
        title=_title([*head, *tail]),
        first_prompt=_first_prompt(head),
        cwd=_cwd(head),
        mtime=datetime.fromtimestamp(status.st_mtime, UTC),
        size=status.st_size,
        messages=messages,
    )


def is_prompt(entry: Entry) -> bool:
    """Whether a person typed this: no meta, no summary, no tool results, no trace of a slash command."""
    if not isinstance(entry, MessageEntry) or entry.message.role != "user":
        return False
    if entry.is_meta or entry.is_compact_summary or entry.is_sidechain or entry.message.tool_results:
        return False
    text = entry.message.text.strip()
    return bool(text) and not text.startswith(COMMAND_TAGS)


def _newest_first(folder: Path) -> list[Path]:
    try:
        found = [(item.stat().st_mtime_ns, item.path) for item in os.scandir(folder) if item.name.endswith(".jsonl")]
    except OSError:
        return []
    return [Path(path) for _mtime, path in sorted(found, reverse=True)]


def _last_lines(path: Path) -> list[bytes]:
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
        return file.read().split(b"\n")


def _count(path: Path) -> int:
    total = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                total += sum(chunk.count(mark) for mark in MESSAGE_MARKS)
    except OSError:
        return 0
    return total


def _title(lines: list[bytes]) -> str:
    latest: dict[str, str] = {}
    for line in lines:
        if any(kind.encode() in line for kind in TITLES):
            entry = _entry(line)
            if isinstance(entry, MetaEntry) and entry.kind in TITLES:
                latest[entry.kind] = str(entry.fields.get(TITLES[entry.kind], ""))
    return next((latest[kind] for kind in TITLES if latest.get(kind)), "")


def _first_prompt(lines: list[bytes]) -> str:
    for line in lines:
        if MESSAGE_MARKS[0] in line and (entry := _entry(line)) is not None and is_prompt(entry):
            return entry.message.text.strip() if isinstance(entry, MessageEntry) else ""
    return ""


def _cwd(lines: list[bytes]) -> str:
    for line in lines:
        head = read_head(line)
        if head is not None and head.cwd:
            return head.cwd
    return ""


def _entry(line: bytes) -> Entry | None:
    try:
        return decode_entry(line)
    except TranscriptError:
        return None
