"""What a session has spent so far."""

from agent.protocol.messages import Usage
from agent.protocol.results import RunResult


class Totals:
    """Sums over the prompts of one conversation; `cost` in US dollars, durations in milliseconds."""

    def __init__(self) -> None:
        self.cost = 0.0
        self.usage = Usage()
        self.turns = 0
        self.api_ms = 0
        self.compactions = 0

    def add(self, result: RunResult) -> None:
        """Counts one finished prompt."""
        self.cost += result.cost
        self.usage += result.usage
        self.turns += result.num_turns
        self.api_ms += result.duration_api_ms
        self.compactions += len(result.compactions)
