"""Text on standard output, line by line, with or without colour; nothing moves the cursor."""

import sys
from typing import Literal, TypeAlias

from tui.render.safe import clean, clean_piece

Tone: TypeAlias = Literal["plain", "dim", "bold", "warning", "error"]

_CODES: dict[Tone, str] = {"plain": "", "dim": "2", "bold": "1", "warning": "33", "error": "31"}


class Screen:
    """Writes cleaned text; knows whether the last line is still open, so that a streamed answer and a notice never share one."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._open_line = False

    def piece(self, text: str) -> None:
        """Some more of a streamed text."""
        text = clean_piece(text)
        if text:
            self._write(text)
            self._open_line = not text.endswith("\n")

    def line(self, text: str = "", tone: Tone = "plain") -> None:
        """Whole lines, in one tone."""
        self.end_line()
        text = clean(text)
        code = _CODES[tone] if self._colour else ""
        self._write(f"\x1b[{code}m{text}\x1b[0m\n" if code and text else text + "\n")

    def end_line(self) -> None:
        """Close a line that a streamed text left open."""
        if self._open_line:
            self._write("\n")
        self._open_line = False

    def mark(self, text: str) -> None:
        """An input mark, for terminals that get no line editor."""
        self.end_line()
        self._write(text)

    def _write(self, text: str) -> None:
        sys.stdout.write(text)  # looked up each time: a line editor may stand in front of it
        sys.stdout.flush()
