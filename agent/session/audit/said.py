"""What a person said in a session, sentence by sentence, and whether a summary still tells it."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from agent.compact.ledger.normalise import normalised, stands_in
from agent.compact.ledger.record import requests
from agent.compact.ledger.sentences import is_correction, is_rule, sentences
from agent.compact.ledger.spoken import ENOUGH_NAMES, names_in
from agent.transcript.catalog import is_prompt
from agent.transcript.entries import Entry

Weight: TypeAlias = Literal["correction", "rule", "words"]
Told: TypeAlias = Literal["verbatim", "paraphrased", "gone"]

ENDS = 6  # sentences that are read at each end of a long message: what is between is a paste
MOST_WORDS = 0.6  # of a sentence's words on one line of the summary: it is told in other words
SHORT = 3  # words; a shorter sentence must have them all
_WORDS = re.compile(r"[a-z0-9_]{3,}|[\u4e00-\u9fff]")
_EMPTY = re.compile(
    r"the|and|for|with|are|was|were|has|have|had|its|this|that|these|those|you|your|can|will|would|please|from|into"
)


class Sentence(Struct, frozen=True):
    """One sentence of the person; `uuid` is the record it stands in."""

    uuid: str
    text: str
    weight: Weight


def said_in(entries: Iterable[Entry]) -> Iterator[Sentence]:
    """What the person said in `entries`, in order; code and the middle of a long paste are no sentences."""
    for one in requests([entry for entry in entries if is_prompt(entry)]):
        found = list(sentences(one.text))
        if len(found) > 2 * ENDS:
            found = found[:ENDS] + found[-ENDS:]
        for text in found:
            yield Sentence(one.uuid, " ".join(text.split()), _weight(text))


def _weight(text: str) -> Weight:
    return "correction" if is_correction(text) else "rule" if is_rule(text) else "words"


class Summary:
    """What stands after a compaction, made ready to be asked."""

    def __init__(self, text: str) -> None:
        self._whole = normalised(text)
        self._lines = [line for raw in text.splitlines() if (line := normalised(raw))]
        self._words = [_telling(line) for line in self._lines]

    def tells(self, sentence: str) -> Told:
        """Whether it still says `sentence`: word for word, in other words (its names, or most of its words, on one line), or no more."""
        plain = normalised(sentence)
        if plain.rstrip(".!?;。！？；") in self._whole:
            return "verbatim"
        names, words = names_in(sentence), _telling(plain)
        enough = len(words) if len(words) < SHORT else max(SHORT, MOST_WORDS * len(words))
        for line, there in zip(self._lines, self._words, strict=True):
            if words and len(words & there) >= enough:
                return "paraphrased"
            if len(names) >= ENOUGH_NAMES and all(stands_in(name, line) for name in names):
                return "paraphrased"
        return "gone"


def _telling(text: str) -> frozenset[str]:
    """The words of `text` that say something."""
    return frozenset(word for word in _WORDS.findall(text) if not _EMPTY.fullmatch(word))
