"""Text meant for the prompt that reaches a list of answers: neither it nor the Enter that ends it is an answer."""

import time

from textual import events

PAUSE = 0.6  # seconds without a key that end a burst of text


class StrayText:
    """Watches the keys of one widget; a burst begins with a letter that answers nothing, or with a paste."""

    def __init__(self) -> None:
        self._last = -PAUSE  # monotonic seconds of the last key that was ignored
        self._unended = False  # ignored text whose Enter has not come

    @property
    def waits_for_enter(self) -> bool:
        """Whether ignored text stands unended, so that the next Enter is ignored too."""
        return self._unended

    def begin(self) -> None:
        """A new question: an Enter long after the text of an earlier one may answer it."""
        self._unended = False

    def pasted(self) -> None:
        """A paste came."""
        self._ignore(ended=False)

    def takes(self, event: events.Key, *, answers: bool) -> bool:
        """Whether `event` is part of stray text and to be ignored; `answers` is whether it would be an answer by itself."""
        if event.key == "enter":
            stray = self._unended or self._in_burst()
        else:
            stray = self._in_burst() or (event.is_printable and not answers)
        if stray:
            self._ignore(ended=event.key == "enter")
        elif not event.is_printable:
            self._unended = False  # an arrow after a pause: the person looks at the answers
        return stray

    def _in_burst(self) -> bool:
        return time.monotonic() - self._last < PAUSE

    def _ignore(self, *, ended: bool) -> None:
        self._last = time.monotonic()
        self._unended = not ended
