"""A short list one walks with the arrows: completions, answers, sessions."""

from collections.abc import Sequence

from msgspec import Struct
from rich.cells import cell_len

from tui.app.rows_widget import RowsWidget
from tui.render.lines import Line, line
from tui.render.safe import clean_line, clip
from tui.render.theme import Theme

MOST_LABEL = 40  # cells of the label column when the hints beside it need all the rest


class Option(Struct, frozen=True):
    """A label, and a few words about it."""

    label: str
    hint: str = ""


class ChoiceList(RowsWidget):
    """Some of the options around the marked one."""

    def __init__(self, theme: Theme, most: int, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._theme = theme
        self._most = self._room = most  # rows
        self._options: Sequence[Option] = ()
        self.index = 0

    @property
    def count(self) -> int:
        """How many options there are."""
        return len(self._options)

    def limit(self, rows: int) -> None:
        """Take no more than `rows` on the screen there is: the marked option is always among those that are seen."""
        self._room = max(1, min(self._most, rows))
        self.show(self._visible)

    def offer(self, options: Sequence[Option], index: int = 0) -> None:
        """Show these."""
        self._options = [Option(clean_line(option.label), clean_line(option.hint)) for option in options]
        self.index = min(index, max(0, len(options) - 1))
        self.show(self._visible)

    def move(self, step: int) -> None:
        """Mark another one; round the ends."""
        if self._options:
            self.index = (self.index + step) % len(self._options)
            self.show(self._visible)

    def _visible(self, width: int) -> list[Line]:
        first = max(0, min(self.index - self._room // 2, len(self._options) - self._room))
        shown = self._options[first : first + self._room]
        hint = max((cell_len(option.hint) for option in shown), default=0)
        label = max((cell_len(option.label) for option in shown), default=0)
        column = min(label, max(MOST_LABEL, width - hint - 5)) if hint else width
        return [self._row(option, first + at == self.index, column, width) for at, option in enumerate(shown)]

    def _row(self, option: Option, marked: bool, column: int, width: int) -> Line:
        label = clip(option.label, max(column, 8) if option.hint else width - 2)
        gap = " " * max(0, column - cell_len(label)) if option.hint else ""
        style = self._theme.accent + self._theme.strong if marked else self._theme.text
        hint = clip(option.hint, max(0, width - column - 5))
        return line(
            ("❯ " if marked else "  ", self._theme.accent),
            (label + gap, style),
            ("  " + hint if hint else "", self._theme.dim),
        )
