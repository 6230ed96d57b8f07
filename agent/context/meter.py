"""The one number: tokens in the context, anchored on what the API counted, estimated beyond it."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from agent.protocol.errors import InvariantBroken
from agent.protocol.messages import Message, Usage
from agent.protocol.meter import Reading, Tiers, Windows
from agent.tokens.calibrate import Calibration
from agent.tokens.choose import Counting
from agent.tokens.counter import TokenCounter
from agent.tokens.messages import CountText
from agent.tokens.sizes import Sizes, sizes_of

_IMPLAUSIBLE = 4  # a count this many times below our estimate is a server that does not count all; above it, and above the window, one that makes it up
_TOO_SMALL_TO_DOUBT = 10  # below a tenth of the compaction window nothing hangs on it


class _Anchor(Struct, frozen=True):
    """`tokens` is what the API counted for the first `length` messages of the view, `last` being the last of them.

    `converted` are the sizes behind it when another model's tokenizer had counted them: then it is an estimate like any other.
    """

    length: int
    last: Message
    tokens: int
    converted: Sizes = Sizes()

    def holds(self, view: Sequence[Message]) -> bool:
        if len(view) < self.length:
            return False
        message = view[self.length - 1]
        return message is self.last or message == self.last


class Meter:
    """One per session. Only main-chain responses are observed, so no compaction or side request ever counts.

    A turn costs what is new: blocks are counted once, and what lies before the anchor is not looked at.
    """

    def __init__(self, tokenizer: str, count_text: CountText | None = None) -> None:
        """`tokenizer` is a ModelInfo's; `count_text` replaces the feature counter where a real tokenizer is at hand."""
        self._anchor: _Anchor | None = None
        self._use(tokenizer, count_text)
        self._overhead: int | None = None
        self._ladder: tuple[Windows, Tiers, bool] | None = None

    @property
    def counter(self) -> TokenCounter:
        """The session's memory of counted blocks, for whoever breaks the number down."""
        return self._counter

    def configure(self, windows: Windows, tiers: Tiers, auto: bool) -> None:
        """Sets the ladder; `auto` is whether auto-compact is on."""
        self._ladder = (windows, tiers, auto)

    def switch(self, view: Sequence[Message], tokenizer: str, count_text: CountText | None = None) -> None:
        """Another model: its tokenizer counts anew and is learnt anew; the same tokenizer keeps everything.

        What the API counted of `view` goes along, times how the two tokenizers differ on it: an estimate, but a near one.
        """
        if self.counts_like(tokenizer, count_text):
            return
        anchor, before = self._anchor_of(view), self._counter
        self._use(tokenizer, count_text)
        if anchor is not None:
            self._anchor = self._converted(anchor, view, before)

    def observe(self, view: Sequence[Message], usage: Usage | None) -> None:
        """Anchors on the response that ends `view` (the messages sent, then the answer).

        A missing or impossible usage leaves the last anchor, and the reading stays an estimate.
        """
        if usage is None or not view or not self._plausible(view, usage):
            return
        self._learn(view[:-1] if view[-1].role == "assistant" else view, usage.prompt)
        self._anchor = _Anchor(length=len(view), last=view[-1], tokens=usage.context)

    def resumed(self, view: Sequence[Message], usage: Usage, counted_by: Counting | None = None) -> None:
        """Anchors on an answer of an earlier time that ends `view`, counted by another tokenizer if so said; it teaches nothing anew."""
        if not view or not self._plausible(view, usage):
            return
        anchor = _Anchor(length=len(view), last=view[-1], tokens=usage.context)
        foreign = counted_by is not None and not self.counts_like(*counted_by)
        self._anchor = self._converted(anchor, view, TokenCounter(*counted_by)) if counted_by and foreign else anchor

    def told(self, view: Sequence[Message], tokens: int, counted_by: Counting | None = None) -> None:
        """Rests on what was estimated of `view` at an earlier time, until the next response.

        The same bytes have the same number, but by the measure of another tokenizer if so said.
        """
        if not view:
            return
        anchor = _Anchor(length=len(view), last=view[-1], tokens=tokens, converted=sizes_of(view, self._counter))
        foreign = counted_by is not None and not self.counts_like(*counted_by)
        self._anchor = self._converted(anchor, view, TokenCounter(*counted_by)) if counted_by and foreign else anchor

    def learn(self, new: Sequence[Message], tokens: int) -> None:
        """Learns that the API counted `tokens` for `new` messages, without changing what the meter rests on."""
        self._calibration.observe(sizes_of(new, self._counter), tokens)

    def counts_like(self, tokenizer: str, count_text: CountText | None) -> bool:
        """Whether this is how the meter counts now."""
        return tokenizer == self._tokenizer and count_text is self._count_text

    def rewritten(self, view: Sequence[Message], overhead: int | None, scale: float = 1.0) -> None:
        """The history was replaced (compaction, clear, rewind): estimates until the next response, and nothing old is remembered.

        `scale` is the API's count of what stood there before in parts of our estimate of it.
        """
        self._anchor = None
        self._scale = scale
        self._overhead = overhead
        self._counter.forget_others(view)

    def read(self, view: Sequence[Message], overhead: int | None) -> Reading:
        """What the next request would carry; `overhead` is the estimated size of system and tools, None while it is unknown.

        Unknown in, unknown out: without an anchor and without `overhead`, `used` is None.
        Raises InvariantBroken before the first `configure`.
        """
        if self._ladder is None:
            raise InvariantBroken("The meter was read before it was configured.")
        windows, tiers, auto = self._ladder
        self._overhead = overhead
        used, sizes = self._used(view, overhead)
        return Reading(
            used=used,
            windows=windows,
            tiers=tiers,
            margin=0 if used is None else self._calibration.margin(sizes),
            estimated=used is not None and sizes.total > 0,
            auto=auto,
        )

    def estimate(self, messages: Sequence[Message], overhead: int) -> int:
        """Tokens of a request that nobody has sent, as `read` will show them once it is the conversation; nothing is remembered of it."""
        sizes = _overhead_sizes(overhead) + sizes_of(messages, TokenCounter(self._tokenizer, self._count_text))
        return self._calibration.predict(sizes)

    def _use(self, tokenizer: str, count_text: CountText | None) -> None:
        self._tokenizer = tokenizer
        self._count_text = count_text
        self._counter = TokenCounter(tokenizer, count_text)
        self._calibration = Calibration()
        self._anchor = None
        self._scale = 1.0

    def _converted(self, anchor: _Anchor, view: Sequence[Message], before: TokenCounter) -> _Anchor:
        """`anchor` as our tokenizer would have it, when `before` is that of the model that counted."""
        counted = view[: anchor.length]
        sizes, then = sizes_of(counted, self._counter), before.messages(counted)
        tokens = round(anchor.tokens * sizes.total / then) if then else anchor.tokens
        return msgspec.structs.replace(anchor, tokens=tokens, converted=sizes)

    def _anchor_of(self, view: Sequence[Message]) -> _Anchor | None:
        return self._anchor if self._anchor is not None and self._anchor.holds(view) else None

    def _used(self, view: Sequence[Message], overhead: int | None) -> tuple[int | None, Sizes]:
        """Tokens in all, and the part of them that is estimated."""
        anchor = self._anchor_of(view)
        if anchor is not None:
            sizes = sizes_of(view[anchor.length :], self._counter)
            return anchor.tokens + self._calibration.predict(sizes), anchor.converted + sizes
        if overhead is None:
            return None, Sizes()
        sizes = _overhead_sizes(overhead) + sizes_of(view, self._counter)
        return round(self._scale * self._calibration.predict(sizes)), sizes

    def _learn(self, sent: Sequence[Message], prompt: int) -> None:
        anchor = self._anchor_of(sent)
        if anchor is not None and not anchor.converted.total:
            self._calibration.observe(sizes_of(sent[anchor.length :], self._counter), prompt - anchor.tokens)
        elif self._overhead is not None:
            sizes = _overhead_sizes(self._overhead) + sizes_of(sent, self._counter)
            self._calibration.observe(sizes, prompt)

    def _plausible(self, view: Sequence[Message], usage: Usage) -> bool:
        """Whether a server can have meant this; a gateway may tell nothing, a part of it, or a number that it made up."""
        if min(usage.input, usage.output, usage.cache_read, usage.cache_creation) < 0 or usage.prompt == 0:
            return False
        known = 0 if self._anchor is None else self._anchor.tokens
        if self._ladder is not None and usage.context > self._ladder[0].model:
            expected = self._calibration.predict(sizes_of(view, self._counter)) + (self._overhead or 0)
            return usage.context <= _IMPLAUSIBLE * max(expected, known)
        if known and _IMPLAUSIBLE * usage.prompt >= known:
            return True
        expected = self._calibration.predict(sizes_of(view[:-1], self._counter))
        doubtful = self._ladder is None or expected * _TOO_SMALL_TO_DOUBT > self._ladder[0].compaction
        return not (doubtful and _IMPLAUSIBLE * usage.prompt < expected)


def _overhead_sizes(overhead: int) -> Sizes:
    return Sizes(prose=overhead, spread=overhead)
