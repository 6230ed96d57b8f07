"""The rows at the bottom: the context meter, what the session is, and the person's own status line."""

from msgspec import Struct
from rich.cells import cell_len

from agent.protocol.meter import Reading
from tui.app.rows_widget import RowsWidget
from tui.render.lines import Line, line
from tui.render.meter import level_style, meter_row
from tui.render.safe import clean_line
from tui.render.theme import Theme
from tui.render.wrap import Span


class Facts(Struct, frozen=True):
    """What the second row says; `words` is the meter's text, `cost` in US dollars, `status_line` what the person's command printed."""

    mode: str = ""
    model: str = ""
    branch: str = ""
    cost: float = 0.0
    offline: bool = False
    words: str = ""
    status_line: tuple[str, ...] = ()


class Footer(RowsWidget):
    """The meter is always visible; the words beside it move to the second row when the first is too short."""

    def __init__(self, theme: Theme, *, id: str | None = None) -> None:
        super().__init__(self._bar, id=id)
        self._theme = theme
        self._reading: Reading | None = None
        self._facts = Facts()

    def update(self, reading: Reading | None, facts: Facts) -> None:
        """Show these; nothing is painted when nothing changed."""
        if (reading, facts) != (self._reading, self._facts):
            self._reading, self._facts = reading, facts
            self.show(self._bar)

    def _bar(self, width: int) -> list[Line]:
        words = self._facts.words
        if self._reading is None:
            return [line(("starting…", self._theme.dim)), self._second("", width)]
        meter = meter_row(self._reading, words, width, self._theme)
        own = [line((clean_line(text), self._theme.dim)) for text in self._facts.status_line]
        return [meter, self._second("" if words in meter.text else words, width), *own]

    def _second(self, words: str, width: int) -> Line:
        """Mode, model, branch and price; the meter's words come first, then what fits."""
        theme, facts = self._theme, self._facts
        loud = level_style(self._reading.level, theme) if self._reading is not None else theme.dim
        parts: list[Span] = [
            (words, loud),
            (_mode_words(facts.mode), theme.warn if facts.mode == "bypassPermissions" else theme.accent),
            ("offline (rehearsal)" if facts.offline else "", theme.warn),
            (clean_line(facts.model), theme.dim),
            (clean_line(facts.branch), theme.dim),
            (f"${facts.cost:.2f}" if facts.cost else "", theme.dim),
        ]
        row: list[Span] = []
        used = 0
        for text, style in parts:
            gap = " · " if row else ""
            if text and used + cell_len(gap + text) <= width:
                row += [(gap, theme.rule), (text, style)]
                used += cell_len(gap + text)
        return line(*row)


def _mode_words(mode: str) -> str:
    names = {"default": "ask first", "acceptEdits": "accept edits", "plan": "plan", "dontAsk": "never ask"}
    return names.get(mode, "bypass permissions" if mode == "bypassPermissions" else clean_line(mode))
