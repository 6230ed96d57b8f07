"""The @mentions in a prompt: which words of it may name a path, and which lines of that file."""

import re
from collections.abc import Iterator

from msgspec import Struct

# An @ at the start of a word; an address like me@example.org is none.
_MENTION = re.compile(r"""(?<![^\s(\[{'"`,;])@(?:"([^"\n]+)"|([^\s"'`]+))""")
_RANGE = re.compile(r"^(.+)#L(\d{1,9})(?:-L?(\d{1,9}))?$")
_TRAILING = ".,;:!?)]}>"


class Mention(Struct, frozen=True):
    """A path as it was typed, and the lines asked for, counted from 1; `first` 0 means the whole file."""

    path: str
    first: int = 0
    last: int = 0


def find_mentions(text: str) -> Iterator[tuple[Mention, ...]]:
    """For each @word the readings it allows, the literal one first: `@a.py.` may be `a.py.` or `a.py` and a full stop."""
    for found in _MENTION.finditer(text):
        quoted, bare = found.groups()
        words = [quoted] if quoted else [bare, bare.rstrip(_TRAILING)]
        readings = [reading for word in dict.fromkeys(words) if word for reading in _readings(word)]
        yield tuple(readings)


def _readings(word: str) -> Iterator[Mention]:
    yield Mention(word)
    ranged = _RANGE.match(word)
    if ranged:
        first = max(1, int(ranged[2]))
        yield Mention(ranged[1], first, max(first, int(ranged[3] or first)))
