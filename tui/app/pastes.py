"""Pasted text of any size, kept whole behind a placeholder in the prompt."""

import re

from tui.render.safe import clean

MOST_LINES, MOST_CHARACTERS = 10, 1_000  # a paste beyond either is folded away
_MARK = re.compile(r"\[Pasted #(\d+) - \d+ lines?\]")


class Pastes:
    """The pastes of the prompt that is being written."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def fold(self, text: str) -> str:
        """What to put into the prompt for a paste: itself, or a placeholder when it is long or not fit for a screen."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.removesuffix("\n").count("\n") + 1
        if text.count("\n") < MOST_LINES and len(text) <= MOST_CHARACTERS and clean(text) == text:
            return text
        number = len(self._texts) + 1
        self._texts[number] = text
        return f"[Pasted #{number} - {lines} {'line' if lines == 1 else 'lines'}]"

    def expand(self, text: str) -> str:
        """The prompt with every placeholder replaced by what was pasted."""
        return _MARK.sub(lambda found: self._texts.get(int(found[1]), found[0]), text)

    def mark_before(self, text: str) -> int:
        """The length of the placeholder that `text` ends with, 0 when there is none."""
        for found in _MARK.finditer(text):
            if found.end() == len(text) and int(found[1]) in self._texts:
                return len(found[0])
        return 0

    def clear(self) -> None:
        """The prompt was sent."""
        self._texts.clear()
