"""Completion while typing: slash commands and files, offered above the prompt."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tui.app.choice_list import ChoiceList, Option
from tui.app.engine import Completion
from tui.app.screen_room import AROUND, AROUND_SHORT, TALL
from tui.render.theme import Theme

Complete: TypeAlias = Callable[[str], Sequence[Completion]]

MOST_SHOWN, SHORT = 8, 4  # rows, and on a short screen


class Completer(ChoiceList):
    """Hidden while there is nothing to offer, or after Esc until the text changes."""

    def __init__(self, theme: Theme, complete: Complete, *, id: str | None = None) -> None:
        super().__init__(theme, MOST_SHOWN, id=id)
        self._complete = complete
        self._found: Sequence[Completion] = ()
        self._before_cursor = ""

    def fit(self, height: int) -> None:
        """Leave the rest of a screen of `height` rows in view."""
        self.limit(height - AROUND if height >= TALL else min(SHORT, height - AROUND_SHORT))

    @property
    def is_open(self) -> bool:
        """Whether something is offered."""
        return bool(self._found)

    def look(self, before_cursor: str) -> None:
        """Offer what there is for the text up to the cursor; what was typed in full is marked, or alone not offered at all."""
        self._before_cursor = before_cursor
        wanted = before_cursor.startswith("/") or "@" in before_cursor.rsplit("\n", 1)[-1]
        found = self._complete(before_cursor) if wanted else ()
        texts = [item.text for item in found]
        self._found = () if texts == [before_cursor] else found
        marked = texts.index(before_cursor) if before_cursor in texts else 0
        self.offer([Option(_label(item.text), item.hint) for item in self._found], marked)
        self.set_class(self.is_open, "open")

    def catch_up(self, before_cursor: str) -> None:
        """Never choose from what was offered for an earlier text: keys may come faster than the offers."""
        if self.is_open and before_cursor != self._before_cursor:
            self.look(before_cursor)

    def close(self) -> None:
        """Offer nothing."""
        self._found = ()
        self.remove_class("open")

    @property
    def chosen(self) -> str | None:
        """The text to put in place of what stands before the cursor."""
        return self._found[self.index].text if self._found else None


def _label(text: str) -> str:
    """What is shown of a completion: the command, or the path after the @."""
    return text if text.startswith("/") else text[text.rfind("@") :]
