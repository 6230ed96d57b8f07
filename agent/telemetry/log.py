"""One JSON line an event in a small, private file; it never raises, and it never holds prompts or keys."""

import json
import os
import re
import threading
from datetime import UTC, datetime
from pathlib import Path

from agent.files.private import make_private

SIZE_LIMIT = 1_000_000  # bytes of one file; one older file is kept beside it
TEXT_LIMIT = 300  # characters of one value

_PRIVATE = re.compile(
    r"prompt|text|content|message|key|token$|secret|password|authorization|header|input$|output$", re.IGNORECASE
)
_SECRET = re.compile(r"sk-[A-Za-z0-9_-]{8,}|(?<=Bearer )\S+", re.IGNORECASE)


class Log:
    """`folder` is made (0700) at the first event; the file is 0600; a full disk or a missing folder loses events silently."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "ccagent.jsonl"
        self._lock = threading.Lock()

    def event(self, name: str, **fields: object) -> None:
        """Record `name` with its fields; numbers, booleans and short texts stay, private names and long texts do not."""
        ours = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "pid": os.getpid(), "event": name}
        record = {**ours, **{key: _told(key, value) for key, value in fields.items()}, **ours}
        line = json.dumps(record, ensure_ascii=True).encode() + b"\n"
        with self._lock:
            self._append(line)

    def _append(self, line: bytes) -> None:
        try:
            make_private(self._file.parent)
            self._turn_over(len(line))
            handle = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
            try:
                os.write(handle, line)
            finally:
                os.close(handle)
        except OSError:
            return  # a log is never worth an error

    def _turn_over(self, more: int) -> None:
        try:
            size = self._file.stat().st_size
        except FileNotFoundError:
            return
        if size + more > SIZE_LIMIT:
            self._file.replace(self._file.with_suffix(".old.jsonl"))


def _told(key: str, value: object) -> object:
    """What may be written of a value."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if _PRIVATE.search(key):
        return "[private]"
    text = value if isinstance(value, str) else type(value).__name__
    return _SECRET.sub("[secret]", text)[:TEXT_LIMIT]
