"""Whether clearing pays: what later requests no longer read, against what the next one has to write to the cache again."""

from collections.abc import Sequence

from msgspec import Struct

from agent.models.capabilities import Price
from agent.protocol.messages import Usage


class Forecast(Struct, frozen=True):
    """A clearing: tokens it saves in every later request, tokens that must be written again because of it, and how many requests follow."""

    saved: int
    rewritten: int
    requests: float


def pays(forecast: Forecast, price: Price) -> bool:
    """`saved * read * requests > rewritten * (write - read)`, in any currency."""
    gain = forecast.saved * price.read * forecast.requests
    return gain > forecast.rewritten * (price.write_5m - price.read)


def expected_requests(usages: Sequence[Usage], room: int) -> float:
    """How many more requests this history will be part of: as many as it has seen, but no more than fit `room` at its pace.

    `usages` are those of its answers so far. That a thing lasts about as long again as it has lasted is the best guess about
    something whose end nobody knows.
    """
    seen = len(usages)
    if seen < 2:
        return 0.0
    pace = max(1.0, (usages[-1].context - usages[0].context) / (seen - 1))
    return min(float(seen), max(0, room) / pace)
