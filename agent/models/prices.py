"""What tokens cost, in US dollars per million tokens."""

from msgspec import Struct

from agent.protocol.messages import Usage
from agent.protocol.model import CacheTtl

_MILLION = 1_000_000


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

    def of(self, usage: Usage, ttl: CacheTtl) -> float:
        """What one response cost, in US dollars; all its cache writes are taken to have the lifetime `ttl`."""
        write = self.write_1h if ttl == "1h" else self.write_5m
        total = (
            usage.input * self.input
            + usage.output * self.output
            + usage.cache_creation * write
            + usage.cache_read * self.read
        )
        return total * self._factor(usage.prompt) / _MILLION

    def _factor(self, prompt: int) -> float:
        return self.cliff.factor if self.cliff is not None and prompt > self.cliff.over else 1.0


def standard_price(input: float, output: float, read: float, *, cliff: Cliff | None = None) -> Price:
    """The vendor's usual row: writing to the cache costs 1.25 times the input for five minutes, twice for an hour."""
    return Price(input=input, output=output, write_5m=input * 1.25, write_1h=input * 2, read=read, cliff=cliff)
