"""What a model can do and how large it is."""

from typing import Literal, TypeAlias

from msgspec import Struct

from agent.models.prices import Price

ThinkingKind: TypeAlias = Literal["adaptive", "budget", "none"]
Tokenizer: TypeAlias = Literal["v4.8", "v3"]


class ModelInfo(Struct, frozen=True, kw_only=True):
    """One model: sizes in tokens; `known` is False for ids that the table does not hold.

    `bound_thinking`: the API refuses thinking blocks once anything before them has changed. `min_cache`: the shortest prefix the
    API caches, in tokens. `tokenizer`: which generation of the feature counter fits. `price` is None when nobody published it.
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
