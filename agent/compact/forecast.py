"""What a compaction would come to, before it is made: computed from the record and the disk, without a request."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from agent.compact.deps import CompactDeps
from agent.compact.keep_tail import Split, is_request
from agent.compact.rebuild import FILES_UNDER, given_back, restored
from agent.compact.restore import Restored, shown_whole
from agent.compact.room import OUR_WORDS
from agent.compact.user_words import words_budget
from agent.context.cache_watch import LIFETIME, seconds_since
from agent.models.prices import cost
from agent.protocol.messages import Message, Usage
from agent.transcript.entries import MessageEntry

SUMMARY_SHARE = 12  # a summary takes about this fraction of what it stands for,
LEAST_SUMMARY, MOST_SUMMARY = 300, 4_000  # tokens, within these bounds
ANALYSIS = 2  # with its analysis an answer is about this many times as long as the summary
PROMPT = 1_200  # tokens of the request for a summary
SPEED = 60  # tokens that a model writes in a second
FIRST_TOKEN = 3  # seconds until it begins


class Share(Struct, frozen=True):
    """Messages, and their tokens."""

    messages: int
    tokens: int


class Forecast(Struct, frozen=True, kw_only=True):
    """Tokens, US dollars (None: no price is known) and seconds; all but the counts of messages are estimates.

    `kept` stands word for word, `summarised` goes into a summary of about `summary`. `words` are the person's own, `names` those in use; `context` is given
    back anew, so are `files` (path and tokens); `overhead` is system prompt and tools. Of the next request's prefix `survives` is still
    in the cache, the rest of `after` is written at the price of `next_cost`. `cached` says whether the summary's request can read the
    conversation from the cache.
    """

    before: int
    after: int
    kept: Share
    summarised: Share
    summary: int
    words: int
    names: int
    context: int
    files: tuple[tuple[str, int], ...]
    overhead: int
    survives: int
    cached: bool
    cost: float | None
    next_cost: float | None
    seconds: int
    kept_first: bool


class Forecaster:
    """Forecasts for one conversation as it is now; what does not depend on the choice is looked at once, files once for each set that is shown. `context` is given back."""

    def __init__(self, deps: CompactDeps, context: Sequence[Message]) -> None:
        conversation, self._context = deps.conversation, context
        self._deps = deps
        self._counter = conversation.meter.counter
        self._model = deps.frame.model
        self._overhead = deps.size(())
        view = conversation.view()
        reading = deps.reading()
        self._before = reading.used or deps.size([entry.message for entry in view])
        self._threshold = reading.tiers.threshold
        self._sizes = {entry.uuid: self._counter.message(entry.message) for entry in view}
        raw = sum(self._sizes.values())
        # what the meter has learnt of our counts
        self._scale = max(0.5, (self._before - self._overhead) / raw) if raw else 1.0
        self._all_words = self._words_of(view)
        self._recent = frozenset(map(str, conversation.read_state.recent()))
        self._restorable: dict[frozenset[str], tuple[Restored, ...]] = {}
        self._cached = conversation.cache_watch.is_warm(deps.clock.monotonic()) or _answered_lately(
            view, deps.clock.now()
        )

    def forecast(self, split: Split, names: int = 0) -> Forecast:
        """What a compaction of `split.history` would come to, with `names` tokens of names in use beside its summary."""
        standing = {entry.uuid for entry in split.kept}
        history = self._share([entry for entry in split.history if entry.uuid not in standing])
        kept = self._share(split.kept)
        summary = min(MOST_SUMMARY, max(LEAST_SUMMARY, history.tokens // SUMMARY_SHARE))
        context = self._tokens(given_back(self._context, split.kept))
        overhead = self._overhead
        words = self._words_of(split.history) if split.kept_first else self._all_words
        bare = overhead + kept.tokens + summary + words + names + context + OUR_WORDS
        files = self._files(split.kept, min(round(FILES_UNDER * self._threshold), self._before) - bare)
        after = bare + sum(tokens for _path, tokens in files)
        survives = overhead + (kept.tokens if split.kept_first else 0) if self._cached else 0
        return Forecast(
            before=self._before,
            after=after,
            kept=kept,
            summarised=history,
            summary=summary,
            words=words,
            names=names,
            context=context,
            files=files,
            overhead=overhead,
            survives=min(survives, after),
            cached=self._cached,
            cost=cost(self._model, self._request(split, summary)),
            next_cost=cost(self._model, Usage(cache_read=survives, cache_creation=max(0, after - survives))),
            seconds=FIRST_TOKEN + ANALYSIS * summary // SPEED,
            kept_first=split.kept_first,
        )

    def _request(self, split: Split, summary: int) -> Usage:
        """What the request for the summary would be charged for; the part before an `up-to` cut is all it carries."""
        sent = self._before if split.kept_first else self._overhead + self._share(split.history).tokens
        output = ANALYSIS * summary
        if self._cached:
            return Usage(cache_read=sent, cache_creation=PROMPT, output=output)
        return Usage(cache_creation=sent + PROMPT, output=output)

    def _files(self, kept: Sequence[MessageEntry], room: int) -> tuple[tuple[str, int], ...]:
        """The files that fit, newest first, but for those that a kept message shows: others take their place."""
        shown = shown_whole(kept) & self._recent
        if shown not in self._restorable:
            self._restorable[shown] = restored(self._deps, kept, self._threshold)
        fitting: list[tuple[str, int]] = []
        for item in self._restorable[shown]:
            tokens = self._tokens([item.message])
            if tokens >= room:
                continue
            room -= tokens
            fitting.append((str(item.path), tokens))
        return tuple(fitting)

    def _words_of(self, entries: Sequence[MessageEntry]) -> int:
        """The person's words in `entries`, as far as they are repeated; those before an earlier compaction are taken to fill the budget."""
        budget = words_budget(self._threshold)
        if any(entry.is_compact_summary for entry in entries):
            return budget
        return min(budget, self._share([entry for entry in entries if is_request(entry)]).tokens)

    def _share(self, entries: Sequence[MessageEntry]) -> Share:
        return Share(len(entries), round(self._scale * sum(self._size(entry) for entry in entries)))

    def _size(self, entry: MessageEntry) -> int:
        known = self._sizes.get(entry.uuid)
        return self._counter.message(entry.message) if known is None else known

    def _tokens(self, messages: Sequence[Message]) -> int:
        return round(self._scale * self._counter.messages(messages))


def _answered_lately(view: Sequence[MessageEntry], now: datetime) -> bool:
    """Whether another process had an answer so lately that the cache still holds what it sent."""
    answer = next((entry for entry in reversed(view) if entry.usage is not None), None)
    if answer is None or answer.usage is None or not answer.usage.cache_read + answer.usage.cache_creation:
        return False
    age = seconds_since(answer.timestamp, now)
    return age is not None and 0 <= age < LIFETIME
