"""Text on standard output, line by line, with or without colour; nothing moves the cursor."""

import shutil
import sys
from collections.abc import Iterable

from rich.color import ColorSystem
from rich.style import Style

from tui.render.lines import Line
from tui.render.safe import clean, clean_piece
from tui.render.theme import TERMINAL

PIPE_WIDTH = 200  # columns where there is no terminal


class Screen:
    """Writes cleaned text; knows whether the last line is still open, so that a streamed answer and a notice never share one."""

    theme = TERMINAL

    def __init__(self, *, colour: bool) -> None:
        self._colour = ColorSystem.STANDARD if colour else None
        self._open_line = False

    @property
    def width(self) -> int:
        """Columns now."""
        return shutil.get_terminal_size((PIPE_WIDTH, 0)).columns

    def piece(self, text: str) -> None:
        """Some more of a streamed text."""
        text = clean_piece(text)
        if text:
            self._write(text)
            self._open_line = not text.endswith("\n")

    def line(self, text: str, style: Style = TERMINAL.text) -> None:
        """Whole lines, in one style."""
        self.end_line()
        self._write(self._styled(clean(text), style) + "\n")

    def rows(self, rows: Iterable[Line]) -> None:
        """Lines that are clean and laid out already."""
        self.end_line()
        for row in rows:
            styled = "".join(self._styled(segment.text, segment.style or TERMINAL.text) for segment in row.segments)
            self._write(styled.rstrip() + "\n")

    def end_line(self) -> None:
        """Close a line that a streamed text left open."""
        if self._open_line:
            self._write("\n")
        self._open_line = False

    def mark(self, text: str) -> None:
        """An input mark, for terminals that get no line editor."""
        self.end_line()
        self._write(text)

    def _styled(self, text: str, style: Style) -> str:
        return text if self._colour is None else style.render(text, color_system=self._colour)

    def _write(self, text: str) -> None:
        sys.stdout.write(text)  # looked up each time: a line editor may stand in front of it
        sys.stdout.flush()
