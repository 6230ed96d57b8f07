"""Choosing one of many: a list that takes the keyboard until something is chosen or Esc is pressed."""

import asyncio
from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from tui.app.choice_list import ChoiceList, Option
from tui.app.rows_widget import RowsWidget
from tui.app.screen_room import AROUND, AROUND_SHORT, TALL
from tui.app.stray_text import StrayText
from tui.render.lines import line
from tui.render.theme import Theme

MOST_SHOWN = 12
FRAME = 3  # rows of the frame and the title; without a frame, the title


class Picker(Vertical, can_focus=True):
    """Hidden until `pick`."""

    def __init__(self, theme: Theme, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._theme = theme
        self._chosen: asyncio.Future[int | None] | None = None
        self._stray = StrayText()
        self._title = RowsWidget()
        self._list = ChoiceList(theme, MOST_SHOWN)

    def compose(self) -> ComposeResult:
        """A title and the list."""
        yield from (self._title, self._list)

    @property
    def is_open(self) -> bool:
        """Whether a choice is awaited."""
        return self._chosen is not None

    async def pick(self, title: str, options: Sequence[Option]) -> int | None:
        """The index that was chosen, or None after Esc."""
        self._chosen = asyncio.get_running_loop().create_future()
        head = line((title, self._theme.accent + self._theme.strong), ("   ↑↓ Enter · Esc", self._theme.dim))
        self._title.show(lambda _width: [head])
        self._stray.begin()
        self._list.offer(options)
        self.add_class("open")
        self.focus()
        try:
            return await self._chosen
        finally:
            self._chosen = None
            self.remove_class("open")

    def fit(self, height: int) -> None:
        """Leave the rest of a screen of `height` rows in view."""
        self._list.limit(height - AROUND - FRAME if height >= TALL else height - AROUND_SHORT - 1)

    def cancel(self) -> None:
        """Choose nothing."""
        self._settle(None)

    def on_paste(self, event: events.Paste) -> None:
        """A paste never chooses."""
        event.stop()
        self._stray.pasted()

    async def _on_key(self, event: events.Key) -> None:
        steps = {"up": -1, "down": 1, "pageup": -MOST_SHOWN, "pagedown": MOST_SHOWN}
        if self._stray.takes(event, answers=False):
            pass
        elif event.key in steps:
            self._list.move(steps[event.key])
        elif event.key == "enter":
            self._settle(self._list.index)
        else:
            return
        event.prevent_default().stop()

    def _settle(self, index: int | None) -> None:
        if self._chosen is not None and not self._chosen.done():
            self._chosen.set_result(index)
