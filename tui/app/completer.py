"""Completion while typing: slash commands and files, offered above the prompt."""

from collections.abc import Callable, Sequence

from tui.app.choice_list import ChoiceList, Option
from tui.app.engine import Completion
from tui.render.theme import Theme

MOST_SHOWN = 8


class Completer(ChoiceList):
    """Hidden while there is nothing to offer, or after Esc until the text changes."""

    def __init__(self, theme: Theme, *, id: str | None = None) -> None:
        super().__init__(theme, MOST_SHOWN, id=id)
        self._found: Sequence[Completion] = ()

    @property
    def is_open(self) -> bool:
        """Whether something is offered."""
        return bool(self._found)

    def look(self, before_cursor: str, complete: Callable[[str], Sequence[Completion]]) -> None:
        """Offer what `complete` finds for the text up to the cursor."""
        wanted = before_cursor.startswith("/") or "@" in before_cursor.rsplit("\n", 1)[-1]
        found = complete(before_cursor) if wanted else ()
        self._found = () if [item.text for item in found] == [before_cursor] else found
        self.offer([Option(_label(item.text), item.hint) for item in self._found])
        self.set_class(self.is_open, "open")

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
