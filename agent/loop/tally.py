"""What one prompt has come to so far."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from agent.models.prices import cost
from agent.protocol.clock import Clock
from agent.protocol.errors import CcagentError
from agent.protocol.events import CompactFailed, CompactFinished, Emit, Event
from agent.protocol.hooks import HookOutcome
from agent.protocol.messages import Usage
from agent.protocol.model import Reply
from agent.protocol.results import CompactionRecord, PermissionDenial, Receipt, RunResult, Spent, Subtype
from agent.protocol.tools import FileStamp, ToolOutput


class Coming(Struct, frozen=True):
    """The prompt with all that came with it: its estimated `tokens`, the `leaf` that it stands behind, and the files `known` before it."""

    text: str
    tokens: int
    leaf: str | None
    known: Mapping[Path, FileStamp]


class Tally:
    """Counts turns, tokens, time and money of one prompt, and holds what an interrupt must still answer.

    `accepted` is the prompt once it is on record: before that there is nothing to close. `answered` says that the model has said something
    to it. `halt` is the terminal reason once a hook has stopped the run. Of the calls of the current turn, by tool_use id, `begun` are those
    whose tool was started, `outcomes` the results so far, and `hook_context` what hooks and memory had to say to each; `partial` is the text
    streamed but not yet recorded; `calling` says that calls are being answered.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._started = clock.monotonic()
        self.turns = 0
        self.usage = Usage()
        self.api_seconds = 0.0
        self.cost = 0.0
        self.by_model: dict[str, Spent] = {}
        self.text = ""
        self.stop_reason = ""
        self.denials: list[PermissionDenial] = []
        self.compactions: list[CompactionRecord] = []
        self.begun: set[str] = set()
        self.outcomes: dict[str, ToolOutput] = {}
        self.hook_context: dict[str, list[str]] = {}
        self.partial: list[str] = []
        self.accepted: Coming | None = None
        self.answered = False
        self.calling = False
        self.halt = ""
        self.auto_compact_failure: CcagentError | None = None

    @property
    def aborted(self) -> str:
        """The terminal reason of an interrupt now (reference, section 4)."""
        return "aborted_tools" if self.calling else "aborted_streaming"

    def told(self, call_id: str, texts: Iterable[str]) -> None:
        """What the model is to know beside the result of this call."""
        self.hook_context.setdefault(call_id, []).extend(texts)

    def replied(self, reply: Reply, text: str) -> None:
        """Counts one answer of the model."""
        self.answered = True
        self.api_seconds += reply.duration
        self.stop_reason = reply.stop_reason
        if text.strip():
            self.text = text
        if reply.usage is not None:
            self.usage += reply.usage
            self._spend(reply.model, Spent(1, reply.usage, cost(reply.model, reply.usage)))

    def halted_by(self, outcome: HookOutcome, terminal_reason: str = "hook_stopped") -> None:
        """Ends the run after the current step if a hook has said `continue: false`; its reason has been shown as the hook's."""
        if outcome.stop:
            self.halt = terminal_reason

    def noting(self, emit: Emit) -> Emit:
        """The same as `emit`, and every compaction is counted, also one that was made in vain."""

        async def noted(event: Event) -> None:
            match event:
                case CompactFinished(receipt=receipt):
                    self._compacted(receipt)
                case CompactFailed(model=model, spent=spent) if spent.requests:
                    self._spend(model, spent)
                case _:
                    pass
            await emit(event)

        return noted

    def result(
        self, subtype: Subtype = Subtype.SUCCESS, *, error: str = "", terminal_reason: str = "completed"
    ) -> RunResult:
        """The result as it stands now."""
        return RunResult(
            subtype=subtype,
            text=self.text,
            error=error,
            num_turns=self.turns,
            duration_ms=round(1000 * (self._clock.monotonic() - self._started)),
            duration_api_ms=round(1000 * self.api_seconds),
            cost=self.cost,
            usage=self.usage,
            by_model=dict(self.by_model),
            stop_reason=self.stop_reason,
            terminal_reason=terminal_reason,
            permission_denials=tuple(self.denials),
            compactions=tuple(self.compactions),
        )

    def _compacted(self, receipt: Receipt) -> None:
        if receipt.requests:
            self._spend(receipt.model, receipt.spent)
        self.compactions.append(
            CompactionRecord(
                trigger=receipt.trigger,
                pre_tokens=receipt.pre_tokens,
                post_tokens=receipt.post_tokens,
                id=receipt.boundary,
            )
        )

    def _spend(self, model: str, spent: Spent) -> None:
        self.cost += spent.cost or 0.0
        self.by_model[model] = self.by_model.get(model, Spent()) + spent
