"""What a session has spent so far, and what its compactions cost and saved."""

from collections.abc import Callable, Iterable

from agent.models.rehearsed import is_rehearsed
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
from agent.session.audit.charges import Charge, Elsewhere


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
    """Sums over one conversation, which was opened at the monotonic second `began`; durations in milliseconds.

    `by_model` was paid; `rehearsed` would have been, had a model answered and not the rehearsal (`rehearsing` now). `earlier` says that
    some of it was spent before it was opened: API time and `lines` (those that calls added and removed) count from then on. `latest` is
    the usage of the last answer, None before one and after a compaction.
    """

    def __init__(self, began: float, *, rehearsing: bool = False) -> None:
        self.began = began
        self.rehearsing = rehearsing
        self.earlier = False
        self.by_model: dict[str, Spent] = {}
        self.rehearsed: dict[str, Spent] = {}
        self.turns = 0
        self.api_ms = 0
        self.lines = (0, 0)
        self.compactions = 0
        self.compacting = Spent()
        self.saving = Saving()
        self.latest: Usage | None = None

    @property
    def whole(self) -> Spent:
        """All models together, paid or not."""
        return sum((*self.by_model.values(), *self.rehearsed.values()), Spent())

    @property
    def cost(self) -> float:
        """US dollars that were paid, as far as prices are known."""
        return sum(spent.cost or 0.0 for spent in self.by_model.values())

    def see(self, event: Event) -> None:
        """Follows what happens within a prompt."""
        match event:
            case AssistantDone(model=model, usage=usage, message_id=message_id):
                self.rehearsing = is_rehearsed(message_id)
                self.saving.asked(model)
                self.latest = usage
            case PromptFinished(result=result):  # answered, failed or interrupted: what was spent is spent
                self._add(result)
            case CompactFinished(receipt=receipt):
                self._compacted(receipt.spent, receipt.pre_tokens - receipt.post_tokens)
                self.latest = None
            case CompactFailed(spent=spent):
                self.compacting += spent
            case HistoryChanged():
                self.latest = None
            case ToolFinished(output=output) if isinstance(output.details, FileDiff):
                self.lines = (self.lines[0] + output.details.added, self.lines[1] + output.details.removed)
            case _:
                pass

    def take_up(self, charges: Iterable[Charge | Elsewhere], shorter_at: Callable[[str | None], int]) -> None:
        """Counts what the record of the conversation says was spent before it was opened.

        `shorter_at` tells by how many tokens the compactions that stand at a record make a request shorter.
        """
        for charge in charges:
            self.earlier = True
            if isinstance(charge, Elsewhere):
                self.saving.shorter = shorter_at(charge.leaf)
                continue
            self.rehearsing = charge.rehearsed
            spent = Spent(charge.requests, charge.usage, charge.dollars)
            if charge.asked:
                self._spend(charge.model, spent)
            if charge.compaction:
                self._compacted(spent, charge.shorter)
            else:
                self.turns += 1
                self.saving.asked(charge.model)

    def _compacted(self, spent: Spent, shorter: int) -> None:
        self.compactions += 1
        self.compacting += spent
        self.saving.shorter += max(0, shorter)

    def _spend(self, model: str, spent: Spent) -> None:
        by_model = self.rehearsed if self.rehearsing else self.by_model
        by_model[model] = by_model.get(model, Spent()) + spent

    def _add(self, result: RunResult) -> None:
        for model, spent in result.by_model.items():
            self._spend(model, spent)
        self.turns += result.num_turns
        self.api_ms += result.duration_api_ms
