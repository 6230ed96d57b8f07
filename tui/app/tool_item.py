"""One call in the transcript: its title and live output while it runs, then what came of it."""

from typing import Literal, TypeAlias

from agent.protocol.details import CommandOutput
from agent.protocol.tools import ToolOutput
from tui.render.details import details_words, duration, more_row, opened_rows, output_rows
from tui.render.lines import BLANK, Line, Rows, indent, line
from tui.render.safe import clean_line, clean_output, clip
from tui.render.theme import Theme
from tui.render.wrap import fold_spans, wrap_text

PREVIEW, EXPANDED = 12, 400  # lines of a call's outcome: at first, and after a click
PROGRESS = 5  # lines of live output
MOST_PROGRESS = 8_000  # characters of live output kept

Outcome: TypeAlias = Literal["running", "ok", "failed"]


class ToolItem:
    """One call: its title while it runs, with the last lines of its output; then what came of it."""

    tight = True

    def __init__(self, name: str, title: str) -> None:
        self._name = clean_line(name)
        self._title = clean_line(title)
        self._progress = ""
        self._output: ToolOutput | None = None
        self._milliseconds = 0
        self._open = False
        self._stopped = False

    def progress(self, text: str) -> None:
        """Some live output."""
        self._progress = (self._progress + text)[-MOST_PROGRESS:]

    def finish(self, output: ToolOutput, milliseconds: int) -> None:
        """The outcome."""
        self._output, self._milliseconds, self._progress = output, milliseconds, ""

    def stop(self) -> None:
        """No outcome will come; what it printed so far stays."""
        self._stopped = True

    @property
    def outcome(self) -> Outcome:
        """How it stands."""
        if self._output is None:
            return "failed" if self._stopped else "running"
        details = self._output.details
        broken = isinstance(details, CommandOutput) and details.exit_code != 0
        return "failed" if self._output.is_error or broken else "ok"

    def estimate(self, _width: int) -> int:
        """The title and a preview of what came."""
        text = self._output.text if self._output is not None else self._progress
        return 1 + min(EXPANDED if self._open else PREVIEW, text.count("\n") + 1)

    def rows(self, width: int, theme: Theme) -> Rows:
        """Title row, then the body behind a bar."""
        return [self._head(width, theme), *indent(self._body(width - 4, theme), "  │ ", "  │ ", theme.rule)]

    def toggle(self) -> None:
        """Preview or up to 400 lines."""
        self._open = not self._open

    def whole(self, width: int, theme: Theme) -> list[Line]:
        """The title and the whole body."""
        head = wrap_text(self._title, theme.strong + theme.text, width)
        if self._output is None:
            return [*head, BLANK, *fold_spans([(clean_output(self._progress), theme.dim)], width)]
        return [*head, BLANK, *opened_rows(self._output, width, theme).rows]

    def _head(self, width: int, theme: Theme) -> Line:
        mark, style = {"running": ("○", theme.accent), "ok": ("●", theme.good), "failed": ("●", theme.bad)}[
            self.outcome
        ]
        words = self._words()
        room = max(8, width - 4 - len(words))
        title = clip(self._title, room)
        name, rest = (self._name, title[len(self._name) :]) if title.startswith(self._name) else (title, "")
        return line(
            (mark + " ", style),
            (name, theme.text + theme.strong),
            (rest, theme.text),
            ("  " + words if words else "", theme.dim),
        )

    def _words(self) -> str:
        if self._output is None:
            return "interrupted" if self._stopped else ""
        words = details_words(self._output.details)
        return words or (duration(self._milliseconds) if self._milliseconds >= 1_000 else "")

    def _body(self, width: int, theme: Theme) -> list[Line]:
        if self._output is None:
            tail = clean_output(self._progress).rstrip("\n").split("\n")[-PROGRESS:] if self._progress.strip() else []
            return [row for text in tail for row in fold_spans([(text[: 2 * width], theme.dim)], width)]
        if self._output.details is None and not self._output.is_error and not self._open:
            return []
        draw, most = (opened_rows, EXPANDED) if self._open else (output_rows, PREVIEW)
        shown = draw(self._output, width, theme, most)
        if not shown.hidden:
            return shown.rows
        more = more_row(shown, theme)
        return [more, *shown.rows] if shown.at_top else [*shown.rows, more]
