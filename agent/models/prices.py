"""What one response costs, in US dollars."""

from agent.models.capabilities import Price
from agent.models.table import lookup
from agent.protocol.messages import Usage
from agent.protocol.model import CacheTtl

_MILLION = 1_000_000


def cost(model: str, usage: Usage, *, ttl: CacheTtl = "5m") -> float | None:
    """US dollars for one response, or None when the price is unknown; all its cache writes are taken to have the lifetime `ttl`."""
    price = lookup(model).price
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
