"""Whether a text still says what the ledger holds."""

import re
from functools import cache

from agent.compact.ledger.fact import Fact
from agent.compact.ledger.normalise import normalised, stands_in
from agent.compact.ledger.spoken import ENOUGH_NAMES, names_in

_SAME_WORDS = 0.6  # of a decision's words on one line: it is told in other words
_WORDS = re.compile(r"[a-z0-9_]{3,}|[\u4e00-\u9fff]")


class Standing:
    """The summary and what stands beside it, made ready to be asked."""

    def __init__(self, text: str) -> None:
        self._whole = normalised(text)
        self._lines = [line for raw in text.splitlines() if (line := normalised(raw))]

    def says(self, fact: Fact) -> bool:
        """Whether `fact` needs no mending."""
        if fact.kind in ("decision", "plan"):
            return self._in_other_words(fact)
        if not any(needle in self._whole and stands_in(needle, self._whole) for needle in fact.needles):
            return fact.only_if_named
        if not fact.states:
            return True
        lines = [line for line in self._lines if any(stands_in(needle, line) for needle in fact.needles)]
        return any(_has_one(line, fact.states) for line in lines) and not any(
            _has_one(line, fact.against) for line in lines
        )

    def _in_other_words(self, fact: Fact) -> bool:
        """Word for word, or on one line all its names, or most of its words."""
        if any(needle in self._whole for needle in fact.needles):
            return True
        names, words = names_in(fact.line), set(_WORDS.findall(normalised(fact.line)))
        for line in self._lines:
            if len(names) >= ENOUGH_NAMES and all(stands_in(name, line) for name in names):
                return True
            if words and len(words & set(_WORDS.findall(line))) >= max(3, _SAME_WORDS * len(words)):
                return True
        return False


def _has_one(line: str, words: tuple[str, ...]) -> bool:
    return any(_word(word).search(line) for word in words)


@cache
def _word(word: str) -> re.Pattern[str]:
    """`word` at the beginning of a word; a very short one as a word of its own; a sign or a Chinese word anywhere."""
    if not re.match(r"[a-z0-9]", word):
        return re.compile(re.escape(word))
    return re.compile(rf"(?<![a-z0-9]){re.escape(word)}" + (r"(?![a-z0-9])" if len(word) < 3 else ""))
