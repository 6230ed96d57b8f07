"""What a prompt, a compaction or a failure came to."""

from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct

from agent.protocol.messages import Usage

Trigger: TypeAlias = Literal["manual", "auto"]


class Subtype(StrEnum):
    """How a prompt ended: the `subtype` words of headless output (reference section 4)."""

    SUCCESS = "success"
    MAX_TURNS = "error_max_turns"
    MAX_BUDGET = "error_max_budget_usd"
    DURING_EXECUTION = "error_during_execution"


class PermissionDenial(Struct, frozen=True):
    """A call that was not allowed."""

    tool_name: str
    tool_use_id: str
    tool_input: dict[str, object]


class CompactionRecord(Struct, frozen=True):
    """A compaction of this run: tokens before and after, and the boundary's uuid."""

    trigger: Trigger
    pre_tokens: int
    post_tokens: int
    id: str


class Spent(Struct, frozen=True):
    """Requests, tokens and US dollars; the dollars are None once a price is unknown."""

    requests: int = 0
    usage: Usage = Usage()
    cost: float | None = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        unknown = self.cost is None or other.cost is None
        cost = None if unknown else (self.cost or 0.0) + (other.cost or 0.0)
        return Spent(self.requests + other.requests, self.usage + other.usage, cost)


class RunResult(Struct, frozen=True, kw_only=True):
    """What one prompt came to; durations in milliseconds, `cost` in US dollars, `by_model` with its compactions."""

    subtype: Subtype
    text: str = ""
    error: str = ""
    num_turns: int = 0
    duration_ms: int = 0
    duration_api_ms: int = 0
    cost: float = 0.0
    usage: Usage = Usage()
    by_model: dict[str, Spent] = {}
    stop_reason: str = ""
    terminal_reason: str = "completed"
    permission_denials: tuple[PermissionDenial, ...] = ()
    compactions: tuple[CompactionRecord, ...] = ()

    @property
    def is_error(self) -> bool:
        """Whether the prompt failed."""
        return self.subtype is not Subtype.SUCCESS


class Counts(Struct, frozen=True):
    """Of `total` facts, `kept` stand after a compaction."""

    kept: int = 0
    total: int = 0


class Checked(Struct, frozen=True):
    """How a summary stood the check against the record: see Receipt."""

    rules: Counts = Counts()
    files: Counts = Counts()
    repaired: int = 0


class Receipt(Struct, frozen=True, kw_only=True):
    """What a compaction did: tokens before and after, what was kept, what its requests took of which model, the boundary's uuid.

    `rules` of the person and `files` worked with were looked for in what stands now; `repaired` facts had to be said again beside the
    summary. None where nobody looked (a boundary of an earlier run).
    """

    trigger: Trigger
    boundary: str
    pre_tokens: int
    post_tokens: int
    summary: str
    model: str = ""
    requests: int = 1
    usage: Usage = Usage()
    cost: float | None = None
    duration_ms: int = 0
    messages_summarized: int = 0
    files_restored: tuple[str, ...] = ()
    extractive: bool = False
    rules: Counts | None = None
    files: Counts | None = None
    repaired: int = 0

    @property
    def spent(self) -> Spent:
        """What its requests took, all together."""
        return Spent(self.requests, self.usage, self.cost)


class Failure(Struct, frozen=True):
    """An error in a person's words: what happened, what is safe, what to do."""

    what: str
    safe: str = ""
    do: str = ""

    @property
    def line(self) -> str:
        """One plain line."""
        return " ".join(part for part in (self.what, self.safe, self.do) if part)
