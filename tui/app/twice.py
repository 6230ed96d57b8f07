"""Keys that do something when they are pressed twice in a row, and how soon."""

import time

AGAIN = 2.0  # seconds in which the second press counts


class Twice:
    """Remembers the key that was pressed last; any other key in between takes the first press back."""

    def __init__(self) -> None:
        self._key, self._at = "", 0.0  # monotonic seconds

    def again(self, key: str) -> bool:
        """Whether `key` was pressed just before; if not, it is now."""
        now = time.monotonic()
        again = key == self._key and now - self._at < AGAIN
        self._key, self._at = "" if again else key, now
        return again

    def pressed(self, key: str) -> None:
        """`key`, or a paste (""), came."""
        if key != self._key:
            self._key = ""
