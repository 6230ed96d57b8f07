"""The readable log: a line per request, and a line per broken rule; never a key, never a prompt's text."""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from agent.rehearsal.delivery import Outcome
from agent.rehearsal.http1 import HttpRequest
from agent.rehearsal.recorded import Recorded
from agent.rehearsal.wire import as_list


class Journal:
    """A log file that only its owner can read; without a path nothing is written.

    A disk that refuses ends the log and not the server: `failure` says why then.
    """

    def __init__(self, path: Path | None) -> None:
        self.failure = ""
        self._path = path
        self._file: TextIO | None = None
        self._noted = 0

    def open(self) -> None:
        """Open the file for appending. Raises `OSError`."""
        if self._path is not None:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            self._file = os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # what the disk has refused it refuses again
                file.close()

    def write(self, request: HttpRequest, outcome: Outcome, record: Recorded | None, violations: list[str]) -> None:
        """Note one request and what became of it, then the rules that it broke."""
        if self._file is None:
            return
        parts = [time.strftime("%H:%M:%S"), request.method, request.path, str(outcome.status)]
        if record is not None:
            parts.extend(_details(record))
        lines = [" ".join(parts), *(f"         broken rule: {broken!r}" for broken in violations[self._noted :])]
        self._noted = len(violations)
        try:
            self._file.write("".join(f"{line}\n" for line in lines))
            self._file.flush()
        except OSError as error:
            self.failure = f"the log {self._path} is cut short: {error.strerror}"
            self.close()


def _details(record: Recorded) -> list[str]:
    parts = [
        f"model={record.body.get('model')}",
        f"messages={len(as_list(record.body.get('messages')))}",
        f"tools={len(as_list(record.body.get('tools')))}",
        f"max_tokens={record.body.get('max_tokens')}",
    ]
    short = {"input_tokens": "in", "cache_read_input_tokens": "read", "cache_creation_input_tokens": "written",
             "output_tokens": "out"}  # fmt: skip
    parts.extend(f"{word}={record.usage[name]}" for name, word in short.items() if name in record.usage)
    if record.refused is not None:
        parts.append(f"refused={record.refused!r}")
    return parts
