"""The person's own words, computed from the record and never by a model, to stand beside every summary."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from agent.compact.ledger.record import Said, requests
from agent.compact.ledger.sentences import is_correction, is_rule, sentences
from agent.tokens.features import estimate_text
from agent.transcript.entries import Entry

BUDGET = 4_000  # tokens for the whole ledger: the person's words, and what mends the summary
LEDGER_SHARE = 8  # in a small window at most this fraction of the ceiling
WORDS_SHARE = 0.65  # of the ledger's budget that the words may take
ONE_MESSAGE = 800  # tokens; a longer message (a paste) is cut in the middle
MARK = 30  # tokens that mark a cut
SHORT = 60  # tokens; a shorter message is a word on the way, and whatever it says may bind
SHORT_SHARE = 0.5  # when not all fits, what short messages may take, however old they are
BINDING_SHARE = 0.25  # and the sentences that bind in longer ones
SAME_MATTER = 2  # words that two sentences must share for the later one to bear on the earlier
LEAST_QUOTE = 12  # characters; a shorter message ("yes", "no") may stand in a summary without being quoted there
HEADING = "What the user said, word for word, oldest first:"

_TOPIC = re.compile(r"([a-z0-9_./-]{4,})|(?=([\u4e00-\u9fff]{2}))", re.IGNORECASE)


class _Choice(Struct):
    """What is said of one message: all of it (perhaps cut in the middle), some sentences, or both; `size` is of all of it, in tokens."""

    said: Said
    size: int
    whole: str = ""
    parts: tuple[str, ...] = ()

    @property
    def short(self) -> bool:
        return self.size <= SHORT

    @property
    def line(self) -> str:
        left = [part for part in self.parts if part not in self.whole]
        if self.whole:
            return _quoted("\n".join([self.whole, *(f"[from what is left out:] {part}" for part in left)]))
        return _quoted("(in part) " + " … ".join(left)) if left else ""


def ledger_budget(ceiling: int) -> int:
    """Tokens for the whole ledger of a conversation that must stay under `ceiling`."""
    return min(BUDGET, ceiling // LEDGER_SHARE)


def words_budget(ceiling: int) -> int:
    """Tokens for the person's words in it."""
    return round(WORDS_SHARE * ledger_budget(ceiling))


def user_words(
    entries: Sequence[Entry], kept: Collection[str], *, budget: int, tokenizer: str, summary: str = ""
) -> str:
    """Every request on the chain except the `kept` ones as one text, and except what `summary` says word for word; empty when there is none.

    When not all fit, short messages come first, since any sentence may be a rule; then the sentences of longer ones that forbid, require
    or correct, with what was said later on the same matter; then longer ones whole, ONE_MESSAGE each. Of each kind the newest come first,
    and nothing older than a short message that did not fit: it could stand without its correction.
    """
    said = _not_said_in(summary, requests(entries, kept))
    choices = [_Choice(one, estimate_text(_quoted(one.text), tokenizer)) for one in said]
    if not choices:
        return ""
    if sum(choice.size for choice in choices) <= budget and all(choice.size <= ONE_MESSAGE for choice in choices[:-1]):
        for choice in choices:
            choice.whole = choice.said.text
    else:
        _choose(choices, budget, tokenizer)
    lines = [choice.line for choice in choices if choice.line]
    omitted = len(choices) - len(lines)
    older = [f"({omitted} older messages are in the earlier conversation's file.)"] if omitted else []
    return "\n".join([HEADING, *older, *lines])


def _choose(choices: Sequence[_Choice], budget: int, tokenizer: str) -> None:
    left = budget - _choose_short(choices[:-1], round(SHORT_SHARE * budget))
    dropped = max((at for at, choice in enumerate(choices[:-1]) if choice.short and not choice.whole), default=-1)
    newer = choices[dropped + 1 :]
    binding = _binding([choice.said for choice in newer], round(BINDING_SHARE * budget), tokenizer)
    for at, texts in binding.items():
        if not newer[at].whole:
            newer[at].parts = texts
            left -= sum(estimate_text(text, tokenizer) for text in texts)
    _choose_newest([choice for choice in newer if not choice.whole], left, tokenizer)


def _choose_short(choices: Sequence[_Choice], budget: int) -> int:
    """Gives short messages the room, newest first; returns what they take."""
    left = budget
    for choice in reversed([choice for choice in choices if choice.short]):
        if choice.size > left:
            break
        left -= choice.size
        choice.whole = choice.said.text
    return budget - left


def _not_said_in(summary: str, said: Sequence[Said]) -> list[Said]:
    """What must be said beside `summary`: all that it does not quote, and of the rest what bears on older words that are said here."""
    quoted = " ".join(summary.split())
    left: list[Said] = []
    matters: list[frozenset[str]] = []
    for one in said:
        topic = _topic(one.text)
        bears = any(len(topic & matter) >= SAME_MATTER for matter in matters)
        if bears or len(one.text) < LEAST_QUOTE or not _stands_in(" ".join(one.text.split()), quoted):
            left.append(one)
            matters.append(topic)
    return left


def _stands_in(words: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def _choose_newest(choices: Sequence[_Choice], budget: int, tokenizer: str) -> None:
    """Gives whole messages the room, newest first; at least the newest has some."""
    left = budget
    for at, choice in enumerate(reversed(choices)):
        limit = max(left - MARK, 0) if at == 0 else min(ONE_MESSAGE, max(left, 0))
        text = _shortened(choice.said.text, limit, tokenizer)
        left -= estimate_text(_quoted(text), tokenizer)
        if left < 0 and at:
            break
        choice.whole = text


def _binding(said: Sequence[Said], budget: int, tokenizer: str) -> dict[int, tuple[str, ...]]:
    """Sentences that bind, by message, the newest first as far as they fit."""
    spoken = [(at, sentence) for at, one in enumerate(said) for sentence in sentences(one.text)]
    binds = [is_rule(sentence) or is_correction(sentence) for _at, sentence in spoken]
    topics = [_topic(sentence) for _at, sentence in spoken]
    found: dict[int, tuple[str, ...]] = {}
    for place in _with_later_words(binds, topics):
        at, sentence = spoken[place]
        budget -= estimate_text(sentence, tokenizer) + 2
        if budget < 0:
            break
        found[at] = (sentence, *found.get(at, ()))
    return found


def _with_later_words(binds: Sequence[bool], topics: Sequence[frozenset[str]]) -> Iterator[int]:
    """Places newest first: a sentence that binds, or one said later than a binding sentence and on its matter."""
    about: dict[str, set[int]] = {}
    chosen: list[int] = []
    for place, topic in enumerate(topics):
        shared = Counter(earlier for word in topic for earlier in about.get(word, ()))
        if binds[place] or any(count >= SAME_MATTER for count in shared.values()):
            chosen.append(place)
        if binds[place]:
            for word in topic:
                about.setdefault(word, set()).add(place)
    return reversed(chosen)


def _topic(sentence: str) -> frozenset[str]:
    return frozenset(word.casefold() for words in _TOPIC.findall(sentence) for word in words if word)


def _quoted(text: str) -> str:
    return "- " + text.replace("\n", "\n  ")


def _shortened(text: str, limit: int, tokenizer: str) -> str:
    """`text`, its middle left out when it is longer than `limit` tokens."""
    size = estimate_text(text, tokenizer)
    if size <= limit:
        return text
    keep = max(40, len(text) * limit // max(1, size) // 2)
    left_out = f"[… {len(text) - 2 * keep:,} characters in the earlier conversation's file …]"
    return "\n".join([text[:keep], left_out, text[-keep:]])
