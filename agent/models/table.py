"""The built-in table of models; the API's own word on a window comes before it."""

import msgspec

from agent.models.aliases import table_id
from agent.models.capabilities import Cliff, ModelInfo, Price, ThinkingKind, Tokenizer

ASSUMED_WINDOW = 200_000
ASSUMED_MAX_OUTPUT = 32_000


def lookup(model: str) -> ModelInfo:
    """What the table says of `model` (an id or an alias); for others a cautious guess with `known=False`."""
    row = _BY_ID.get(table_id(model))
    return _unknown(model) if row is None else msgspec.structs.replace(row, id=model)


def _claude(
    id: str,
    price: Price | None,
    *,
    min_cache: int,
    bound: bool = False,
    tokenizer: Tokenizer = "v4.8",
    effort: bool = True,
    thinking: ThinkingKind = "adaptive",
    window: int = 1_000_000,
    max_output: int = 128_000,
) -> ModelInfo:
    return ModelInfo(
        id=id,
        window=window,
        max_output=max_output,
        thinking=thinking,
        effort=effort,
        bound_thinking=bound,
        tokenizer=tokenizer,
        min_cache=min_cache,
        price=price,
    )


def _small(id: str, price: Price, *, min_cache: int, effort: bool = False, max_output: int = 64_000) -> ModelInfo:
    """The last models with 200K windows: budgeted thinking, the older tokenizer, mostly no effort."""
    return _claude(
        id,
        price,
        min_cache=min_cache,
        tokenizer="v3",
        effort=effort,
        thinking="budget",
        window=200_000,
        max_output=max_output,
    )


def _price(input: float, output: float, read: float, cliff: Cliff | None = None) -> Price:
    """The vendor's usual row: writing to the cache costs 1.25 times the input for five minutes, twice for an hour."""
    return Price(input=input, output=output, write_5m=input * 1.25, write_1h=input * 2, read=read, cliff=cliff)


_FABLE = _price(10, 50, 0.25)
_OPUS = _price(5, 25, 0.50)
_SONNET = _price(3, 15, 0.30)
_HAIKU = _price(0.10, 0.50, 0.01, Cliff(over=100_000, factor=5))

_TABLE = (
    _claude("claude-fable-5-2", None, min_cache=512, bound=True),
    _claude("claude-fable-5-1", _FABLE, min_cache=512, bound=True),
    _claude("claude-fable-5", _price(10, 50, 1.0), min_cache=512),
    _claude("claude-mythos-5-1", None, min_cache=512, bound=True),  # as its sister Fable; nobody published its price
    _claude("claude-mythos-5", None, min_cache=512),
    _claude("claude-mythos-preview", None, min_cache=2_048),
    _claude("claude-opus-5-5", _price(4, 20, 0.20), min_cache=512, bound=True),
    _claude("claude-opus-5", _OPUS, min_cache=512),
    _claude("claude-opus-4-8", _OPUS, min_cache=1_024),
    _claude("claude-opus-4-7", _OPUS, min_cache=2_048),
    _claude("claude-opus-4-6", _OPUS, min_cache=4_096, tokenizer="v3"),
    _small("claude-opus-4-5", _OPUS, min_cache=4_096, effort=True),
    _small("claude-opus-4-1", _price(15, 75, 1.50), min_cache=1_024, max_output=32_000),
    _claude("claude-sonnet-5-5", _price(2, 10, 0.10), min_cache=1_024, bound=True),
    _claude("claude-sonnet-5", _price(2, 10, 0.20), min_cache=1_024),
    _claude("claude-sonnet-4-6", _SONNET, min_cache=1_024, tokenizer="v3"),
    _small("claude-sonnet-4-5", _SONNET, min_cache=1_024),
    _claude("claude-haiku-5-5", _HAIKU, min_cache=1_024, bound=True),
    _small("claude-haiku-4-5", _price(1, 5, 0.10), min_cache=4_096),
)

_BY_ID = {row.id: row for row in _TABLE}


def _unknown(model: str) -> ModelInfo:
    return ModelInfo(
        id=model,
        window=ASSUMED_WINDOW,
        max_output=ASSUMED_MAX_OUTPUT,
        known=False,
        thinking="none",
        effort=False,
        bound_thinking=False,
        tokenizer="other",
        min_cache=1_024,
        price=None,
    )
