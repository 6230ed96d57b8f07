"""What a model can do, how large it is and what its tokens cost."""

from typing import Literal, TypeAlias

from msgspec import Struct

ThinkingKind: TypeAlias = Literal["adaptive", "budget", "none"]
Tokenizer: TypeAlias = Literal["v4.8", "v3", "other"]


class Cliff(Struct, frozen=True):
    """A prompt of more than `over` tokens (cache included) multiplies every price of its request by `factor`."""

    over: int
    factor: float


class Price(Struct, frozen=True):
    """US dollars per million tokens; the cache is written for five minutes or for an hour, and read."""

    input: float
    output: float
    write_5m: float
    write_1h: float
    read: float
    cliff: Cliff | None = None


class ModelInfo(Struct, frozen=True, kw_only=True):
    """One model: sizes in tokens; `known` is False for ids that the table does not hold.

    `bound_thinking`: the API refuses thinking blocks once anything before them has changed. `min_cache`: the shortest prefix the
    API caches, in tokens. `tokenizer`: the generation of Claude's tokenizer, "other" for other vendors'. `price` is None when nobody
    published it.
    """

    id: str
    window: int
    max_output: int
    known: bool = True
    thinking: ThinkingKind
    effort: bool
    bound_thinking: bool
    tokenizer: Tokenizer
    min_cache: int
    price: Price | None
