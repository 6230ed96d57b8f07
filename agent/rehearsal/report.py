"""What the sessions cost: tokens by kind, the share that came from the cache, and the price in US dollars."""

from collections.abc import Iterable

import msgspec

from agent.rehearsal.models import ModelSpec
from agent.rehearsal.wire import Json, as_int, as_object, objects

PER_MILLION = 1_000_000


class Cost(msgspec.Struct):
    """Sums over requests; tokens, and US dollars for `price`. `prompt` is fresh + read + written."""

    requests: int = 0
    fresh: int = 0
    read: int = 0
    written: int = 0
    output: int = 0
    price: float = 0.0

    @property
    def read_share(self) -> float:
        """The share of all prompt tokens that came from the cache, 0 to 1."""
        prompt = self.fresh + self.read + self.written
        return self.read / prompt if prompt else 0.0

    def add(self, usage: Json, model: ModelSpec) -> None:
        """Add one answer; when it compacted, its iterations are what is paid for."""
        self.requests += 1
        for part in objects(usage.get("iterations")) or [usage]:
            self._add(part, model)

    def _add(self, usage: Json, model: ModelSpec) -> None:
        fresh, read = _count(usage, "input_tokens"), _count(usage, "cache_read_input_tokens")
        written, output = _count(usage, "cache_creation_input_tokens"), _count(usage, "output_tokens")
        hour = _count(as_object(usage.get("cache_creation")), "ephemeral_1h_input_tokens")
        price = model.price_of(fresh + read + written)
        self.fresh += fresh
        self.read += read
        self.written += written
        self.output += output
        dollars = fresh * price.input + read * price.read + (written - hour) * price.write_5m + hour * price.write_1h
        self.price += (dollars + output * price.output) / PER_MILLION


def describe(costs: dict[str, Cost]) -> Iterable[str]:
    """One line per session."""
    for session, cost in costs.items():
        yield (
            f"{session}: {cost.requests} requests, {cost.fresh + cost.read + cost.written} prompt tokens "
            f"({cost.read_share:.0%} read from the cache, {cost.written} written), {cost.output} output tokens, "
            f"${cost.price:.4f}"
        )


def session_of(body: Json) -> str:
    """Whose request it is: `metadata.user_id`, or one common session."""
    return str(as_object(body.get("metadata")).get("user_id") or "session")


def _count(usage: Json, name: str) -> int:
    return as_int(usage.get(name)) or 0
