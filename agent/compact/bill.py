"""What one compaction has been billed for, whatever becomes of it."""

from agent.models.prices import cost
from agent.protocol.messages import Usage
from agent.protocol.results import Spent


class Bill:
    """Grows with every answer, the useless ones too."""

    def __init__(self) -> None:
        self._requests = 0
        self._usage = Usage()

    def add(self, usage: Usage) -> None:
        """One more answer."""
        self._requests += 1
        self._usage += usage

    def spent(self, model: str) -> Spent:
        """The sum so far, in dollars of `model`."""
        return Spent(self._requests, self._usage, cost(model, self._usage) if self._requests else 0.0)
