"""What was sent before, newest last, shared with the line REPL through one file."""

import os
import time
from pathlib import Path

from agent.files.regular import open_regular, open_to_append

MOST_ENTRIES = 1_000
MOST_BYTES = 8 * 1024 * 1024  # of the file, from its end
MOST_CHARACTERS = 65_536  # a longer prompt is remembered for this session only


class PromptHistory:
    """Walks backwards and forwards; the text being written stands at the end.

    The file has prompt_toolkit's format (FileHistory): a `# time` line, then the text's lines behind `+`.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._entries = _read(file)[-MOST_ENTRIES:] if file is not None else []
        self._at = len(self._entries)
        self._draft = ""

    def add(self, text: str) -> None:
        """A prompt was sent; the same one twice in a row is one entry."""
        if text and (not self._entries or self._entries[-1] != text):
            self._entries.append(text)
            if self._file is not None and len(text) <= MOST_CHARACTERS:
                _append(self._file, text)
        self._at = len(self._entries)

    def older(self, current: str) -> str | None:
        """The entry before, or None at the beginning; `current` is kept as the draft when the walk begins."""
        if self._at == 0:
            return None
        if self._at == len(self._entries):
            self._draft = current
        self._at -= 1
        return self._entries[self._at]

    def newer(self) -> str | None:
        """The entry after, at last the draft; None when there is nothing newer."""
        if self._at >= len(self._entries):
            return None
        self._at += 1
        return self._draft if self._at == len(self._entries) else self._entries[self._at]


def _read(file: Path) -> list[str]:
    try:
        with open_regular(file) as source:
            size = os.fstat(source.fileno()).st_size
            source.seek(max(0, size - MOST_BYTES))
            lines = source.read(MOST_BYTES).decode("utf-8", "replace").split("\n")
    except OSError:
        return []
    entries: list[list[str]] = []
    inside = False
    for text in lines:
        if text.startswith("+"):
            if not inside:
                entries.append([])
            entries[-1].append(text[1:])
        inside = text.startswith("+")
    return ["\n".join(entry) for entry in entries]


def _append(file: Path, text: str) -> None:
    """Best effort: a history that cannot be written must not stop a prompt."""
    body = "".join(f"+{part}\n" for part in text.split("\n"))
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(open_to_append(file), "ab") as out:
            out.write(f"\n# {time.strftime('%Y-%m-%d %H:%M:%S')}\n{body}".encode("utf-8", "replace"))
    except OSError:
        return
