"""The names that the model works with: in its own calls and words, those used often and lately first."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent.protocol.messages import Message
from agent.transcript.entries import Entry, MessageEntry

HALF_LIFE = 40  # answers after which a use counts half; measured, as the next one: docs/compaction_benchmark.md
SAID = 0.5  # a name in words counts half of one in a call
SHORTEST, LONGEST = 4, 100  # characters

_WORD = re.compile(r"[A-Za-z_][\w-]*(?:[./:-]+\w+)*")
_PART = re.compile(r"[./:-]+")
_INNER_CAPITAL = re.compile(r"[a-z]+[A-Z]|[A-Z][a-z]+[A-Z]")


def names_in_use(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Identifiers and paths of a whole record, the most useful first; nothing that only a tool, a file or the person has said."""
    weights: Counter[str] = Counter()
    answers = [entry.message for entry in entries if isinstance(entry, MessageEntry) and _is_answer(entry)]
    for age, message in enumerate(reversed(answers)):
        fresh = 0.5 ** (age / HALF_LIFE)
        for weight, texts in ((1.0, _arguments(message)), (SAID, [message.text])):
            for name in dict.fromkeys(name for text in texts for name in names_in(text)):
                weights[name] += weight * fresh
    return tuple(name for name, _weight in weights.most_common())


def names_in(text: str) -> tuple[str, ...]:
    """Words that are hard to say otherwise: with an underscore, a dot, a slash or a capital inside; and such parts of paths. Each once, as they come."""
    words = _WORD.findall(text)
    return tuple(dict.fromkeys(name for word in words for name in (word, *_PART.split(word)) if _is_name(name)))


def unsaid(names: Iterable[str], shown: str) -> Iterator[str]:
    """Those of `names` that do not stand in `shown`, nor in one that was told before."""
    for name in names:
        if name not in shown:
            shown += f"\n{name}"
            yield name


def _is_name(word: str) -> bool:
    if not SHORTEST <= len(word) <= LONGEST:
        return False
    return "_" in word.strip("_") or "/" in word or "." in word or _INNER_CAPITAL.match(word) is not None


def _is_answer(entry: MessageEntry) -> bool:
    return entry.message.role == "assistant" and not entry.is_sidechain


def _arguments(message: Message) -> list[str]:
    return [text for call in message.tool_uses for text in _texts(call.input)]


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for part in value.values():
                yield from _texts(part)
        case list():
            for part in value:
                yield from _texts(part)
        case _:
            return
