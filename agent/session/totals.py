"""What a session has spent so far, and what its compactions cost and saved."""

from agent.models.table import lookup
from agent.protocol.details import FileDiff
from agent.protocol.events import (
    AssistantDone,
    CompactFailed,
    CompactFinished,
    Event,
    HistoryChanged,
    PromptFinished,
    ToolFinished,
)
from agent.protocol.messages import Usage
from agent.protocol.results import RunResult, Spent


class Saving:
    """What requests no longer carried because of compactions: tokens, and US dollars at the price of a cache read (None unknown)."""

    def __init__(self) -> None:
        self.shorter = 0  # tokens by which each request is shorter now
        self.tokens = 0
        self.dollars: float | None = 0.0

    def asked(self, model: str) -> None:
        """One more request of the shortened conversation was answered."""
        if not self.shorter:
            return
        price = lookup(model).price
        self.tokens += self.shorter
        self.dollars = None if self.dollars is None or price is None else self.dollars + self.shorter * price.read / 1e6


class Totals:
    """Sums over the prompts of one conversation that `began` at a monotonic second; durations in milliseconds.

    `lines` are those that calls added and removed; `latest` is the usage of the last answer, None before one and after a compaction.
    """

    def __init__(self, began: float) -> None:
        self.began = began
        self.by_model: dict[str, Spent] = {}
        self.turns = 0
        self.api_ms = 0
        self.lines = (0, 0)
        self.compactions = 0
        self.compacting = Spent()
        self.saving = Saving()
        self.latest: Usage | None = None

    @property
    def whole(self) -> Spent:
        """All models together."""
        return sum(self.by_model.values(), Spent())

    @property
    def cost(self) -> float:
        """US dollars, as far as prices are known."""
        return sum(spent.cost or 0.0 for spent in self.by_model.values())

    def see(self, event: Event) -> None:
        """Follows what happens within a prompt."""
        match event:
            case AssistantDone(model=model, usage=usage):
                self.saving.asked(model)
                self.latest = usage
            case PromptFinished(result=result):  # answered, failed or interrupted: what was spent is spent
                self._add(result)
            case CompactFinished(receipt=receipt):
                self.compactions += 1
                self.compacting += Spent(1, receipt.usage, receipt.cost)
                self.saving.shorter += max(0, receipt.pre_tokens - receipt.post_tokens)
                self.latest = None
            case CompactFailed(spent=spent):
                self.compacting += spent
            case HistoryChanged():
                self.saving.shorter = 0  # another history: what it would have been without compactions is not known
                self.latest = None
            case ToolFinished(output=output) if isinstance(output.details, FileDiff):
                self.lines = (self.lines[0] + output.details.added, self.lines[1] + output.details.removed)
            case _:
                pass

    def _add(self, result: RunResult) -> None:
        for model, spent in result.by_model.items():
            self.by_model[model] = self.by_model.get(model, Spent()) + spent
        self.turns += result.num_turns
        self.api_ms += result.duration_api_ms
