"""What one response costs, in US dollars."""

from agent.models.aliases import table_id
from agent.models.capabilities import Price
from agent.models.table import lookup
from agent.protocol.messages import Usage
from agent.protocol.model import CacheTtl

_MILLION = 1_000_000

_SONNET = Price(input=3, output=15, write_5m=3.75, write_1h=6, read=0.30)
_OPUS = Price(input=15, output=75, write_5m=18.75, write_1h=30, read=1.50)
_RETIRED = {
    "claude-opus-4": _OPUS,
    "claude-opus-4-0": _OPUS,
    "claude-sonnet-4": _SONNET,
    "claude-sonnet-4-0": _SONNET,
    "claude-3-7-sonnet": _SONNET,
    "claude-3-5-sonnet": _SONNET,
    "claude-3-5-haiku": Price(input=0.80, output=4, write_5m=1.0, write_1h=1.60, read=0.08),
}
"""What models cost that answer no more, but stand in old transcripts."""


def cost(model: str, usage: Usage, *, ttl: CacheTtl = "5m") -> float | None:
    """US dollars for one response, or None when the price is unknown; all its cache writes are taken to have the lifetime `ttl`."""
    price = lookup(model).price or _RETIRED.get(table_id(model))
    if price is None:
        return None
    write = price.write_1h if ttl == "1h" else price.write_5m
    total = (
        usage.input * price.input
        + usage.output * price.output
        + usage.cache_creation * write
        + usage.cache_read * price.read
    )
    return total * _factor(price, usage.prompt) / _MILLION


def _factor(price: Price, prompt: int) -> float:
    return price.cliff.factor if price.cliff is not None and prompt > price.cliff.over else 1.0
