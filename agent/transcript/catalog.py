"""Which sessions there are, and what a list says of each."""

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path

from msgspec import Struct

from agent.files.regular import open_regular
from agent.protocol.errors import SessionNotFound, TranscriptError
from agent.transcript.decode import decode_entry
from agent.transcript.entries import Entry, MessageEntry, MetaEntry
from agent.transcript.lines import read_head
from agent.transcript.store import read_lines

FIRST_LINES = 200  # how far the first prompt is looked for
CHUNK = 1 << 20
KNOWN = 5_000  # sessions whose description is remembered
SAFE_ID = re.compile(r"[A-Za-z0-9_-]+")
TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}  # the earlier kind wins
TYPE_MARKS = (b'"type":"%b"', b'"type": "%b"')  # as sessions are written, and as other tools write JSON
NOT_TYPED = ("<command-", "<local-command-", "<bash-", "[Request interrupted by")


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
            if os.path.isfile(path):
                return path
    raise SessionNotFound(f"No conversation found with session ID: {session_id}")


def describe(path: Path) -> SessionInfo | None:
    """What a list says of the session at `path`, or None when it cannot be read."""
    try:
        status = path.stat()
        return _described(path, status.st_mtime_ns, status.st_size)
    except (OSError, TranscriptError):
        return None


@lru_cache(maxsize=KNOWN)
def _described(path: Path, mtime_ns: int, size: int) -> SessionInfo:
    """Lists are asked for at each key of `/resume`: a file that has not changed since is not read again."""
    head = list(islice(read_lines(path), FIRST_LINES))
    messages, titles = _survey(path)
    return SessionInfo(
        id=path.stem,
        path=path,
        title=_title(titles),
        first_prompt=_first_prompt(head),
        cwd=_cwd(head),
        mtime=datetime.fromtimestamp(mtime_ns / 1e9, UTC),
        size=size,
        messages=messages,
    )


def is_prompt(entry: Entry) -> bool:
    """Whether a person typed this: no meta, no summary, no tool results, no trace of a slash command."""
    if not isinstance(entry, MessageEntry) or entry.message.role != "user":
        return False
    if entry.is_meta or entry.is_compact_summary or entry.is_sidechain or entry.message.tool_results:
        return False
    text = entry.message.text.strip()
    return bool(text) and not text.startswith(NOT_TYPED)


def _newest_first(folder: Path) -> list[Path]:
    """The session files in `folder`; one that went away meanwhile, or a link to nowhere, hides no other."""
    try:
        files = [file for file in folder.iterdir() if file.suffix == ".jsonl"]
    except OSError:
        return []
    written = {file: mtime for file in files if (mtime := _mtime(file)) is not None}
    return sorted(written, key=lambda path: (written[path], path), reverse=True)


def _mtime(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def _survey(path: Path) -> tuple[int, list[bytes]]:
    """How many records look like messages, and the latest record of each kind of title, wherever it stands."""
    total, titles = 0, dict.fromkeys(TITLES, b"")
    with open_regular(path) as file:
        while chunk := file.read(CHUNK):
            chunk += file.readline()
            total += sum(chunk.count(mark) for kind in ("user", "assistant") for mark in _marks(kind))
            for kind in TITLES:
                titles[kind] = _last_record(chunk, _marks(kind)) or titles[kind]
    return total, list(titles.values())


def _marks(kind: str) -> list[bytes]:
    """What records of `kind` have in them; within a string the quotes would be escaped."""
    return [mark % kind.encode() for mark in TYPE_MARKS]


def _last_record(chunk: bytes, marks: list[bytes]) -> bytes:
    """The last line of `chunk` that holds one of `marks`."""
    at = max(chunk.rfind(mark) for mark in marks)
    return b"" if at < 0 else chunk[chunk.rfind(b"\n", 0, at) + 1 :].partition(b"\n")[0]


def _count(path: Path) -> int:
    try:
        return _survey(path)[0]
    except OSError:
        return 0


def _title(lines: list[bytes]) -> str:
    latest: dict[str, str] = {}
    for line in lines:
        entry = _entry(line)
        if isinstance(entry, MetaEntry) and entry.kind in TITLES:
            latest[entry.kind] = str(entry.fields.get(TITLES[entry.kind], ""))
    return next((latest[kind] for kind in TITLES if latest.get(kind)), "")


def _first_prompt(lines: list[bytes]) -> str:
    users = _marks("user")
    for line in lines:
        if any(mark in line for mark in users) and (entry := _entry(line)) is not None and is_prompt(entry):
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
