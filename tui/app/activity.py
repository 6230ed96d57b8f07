"""The row above the prompt: what runs, for how long, and what there is below the fold."""

from collections.abc import Callable

from rich.cells import cell_len

from tui.app.rows_widget import RowsWidget
from tui.render.lines import Line, line
from tui.render.safe import clean_line, clip
from tui.render.theme import Theme

FRAMES = "✶✸✹✺✹✷"
TICK = 0.25  # seconds between two frames of the spinner


class Activity(RowsWidget):
    """One row, always there, so that nothing jumps; it moves only while something runs."""

    def __init__(self, theme: Theme, clock: Callable[[], float], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._theme = theme
        self._clock = clock  # seconds that never run backwards
        self._what = ""
        self._note = ""
        self._stoppable = True
        self._since = 0.0
        self.below = False
        self.hint = ""

    def on_mount(self) -> None:
        """The spinner's timer; it rests while idle."""
        self._timer = self.set_interval(TICK, lambda: self.show(self._bar), pause=True)
        self.show(self._bar)

    def start(self, what: str, *, stoppable: bool = True) -> None:
        """Something runs; the clock starts anew when it is something else. `stoppable`: Esc would end it."""
        if what != self._what:
            self._since = self._clock()
        self._what, self._note, self._stoppable = clean_line(what), "", stoppable
        self._timer.resume()
        self.show(self._bar)

    def note(self, text: str) -> None:
        """A few words about how it goes."""
        self._note = clean_line(text)
        self.show(self._bar)

    def stop(self) -> None:
        """Nothing runs."""
        self._what = self._note = ""
        self._timer.pause()
        self.show(self._bar)

    def say(self, hint: str) -> None:
        """A short hint in this row until the next one ("" to take it back)."""
        self.hint = hint
        self.show(self._bar)

    def unsay(self, hint: str) -> None:
        """Take `hint` back, if it is still there."""
        if self.hint == hint:
            self.say("")

    def show_below(self, below: bool) -> None:
        """Whether there is more below what is seen."""
        if below != self.below:
            self.below = below
            self.show(self._bar)

    def _bar(self, width: int) -> list[Line]:
        theme = self._theme
        right = "↓ more below (End)" if self.below else ""
        left = self.hint or self._words()
        room = width - cell_len(right) - 1
        left = clip(left, max(0, room))
        gap = " " * max(1, width - cell_len(left) - cell_len(right))
        style = theme.warn if self.hint else theme.accent
        return [line((left, style), (gap, theme.text), (right, theme.note))]

    def _words(self) -> str:
        if not self._what:
            return ""
        now = self._clock()
        seconds = int(now - self._since)
        parts = [f"{FRAMES[int(now / TICK) % len(FRAMES)]} {self._what}", f"{seconds}s", self._note]
        parts += ["esc to interrupt"] if self._stoppable else []
        return " · ".join(part for part in parts if part)
