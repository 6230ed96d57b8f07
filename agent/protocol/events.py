"""What the engine tells a face: one closed union, one stream per prompt."""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

from msgspec import Struct

from agent.protocol.asks import Answer, Ask
from agent.protocol.messages import Message, Usage
from agent.protocol.meter import Reading
from agent.protocol.results import Failure, Receipt, RunResult, Spent, Trigger
from agent.protocol.tools import ToolOutput

FailedKind: TypeAlias = Literal["failed", "vetoed", "cancelled", "nothing"]


class PromptAccepted(Struct, frozen=True, tag=True):
    """The person's words are on record."""

    uuid: str
    text: str


class TurnStarted(Struct, frozen=True, tag=True):
    """A request goes out; turns count from 1 within the prompt."""

    turn: int


class TextDelta(Struct, frozen=True, tag=True):
    """Some text of the answer."""

    text: str


class ThinkingDelta(Struct, frozen=True, tag=True):
    """Some readable thinking."""

    text: str


class AssistantDone(Struct, frozen=True, tag=True, kw_only=True):
    """One whole answer, recorded."""

    uuid: str
    message: Message
    message_id: str
    model: str
    stop_reason: str
    usage: Usage | None


class ToolStarted(Struct, frozen=True, tag=True):
    """A call begins (after permission); `title` is one line."""

    id: str
    name: str
    input: dict[str, object]
    title: str


class ToolProgress(Struct, frozen=True, tag=True):
    """Some live output of a call."""

    id: str
    text: str


class ToolFinished(Struct, frozen=True, tag=True):
    """A call's outcome; also for calls that were denied or could not start."""

    id: str
    name: str
    title: str
    output: ToolOutput
    duration_ms: int = 0


class ToolResultsRecorded(Struct, frozen=True, tag=True):
    """The user message that answers a turn's calls, recorded."""

    uuid: str
    message: Message


class Asked(Struct, frozen=True, tag=True):
    """The engine waits for `Session.answer(id, ...)`."""

    id: str
    ask: Ask


class Answered(Struct, frozen=True, tag=True):
    """The question is settled."""

    id: str
    answer: Answer


class HookStarted(Struct, frozen=True, tag=True):
    """A hook runs."""

    id: str
    event: str
    command: str
    status: str = ""


class HookFinished(Struct, frozen=True, tag=True, kw_only=True):
    """A hook ended: ok, blocked, failed or timed out; `text` is what a person should read (may be empty)."""

    id: str
    event: str
    command: str
    outcome: Literal["ok", "blocked", "failed", "timeout"]
    text: str = ""
    exit_code: int | None = None
    duration_ms: int = 0


class MeterChanged(Struct, frozen=True, tag=True):
    """The context meter moved."""

    reading: Reading


class MicroCompacted(Struct, frozen=True, tag=True):
    """Old tool results were cleared."""

    cleared: int
    tokens_saved: int


class CompactStarted(Struct, frozen=True, tag=True):
    """`Compacting conversation…` begins."""

    trigger: Trigger
    pre_tokens: int


class CompactProgress(Struct, frozen=True, tag=True):
    """The summary grows; characters so far, or a retry in words."""

    characters: int
    note: str = ""


class CompactFinished(Struct, frozen=True, tag=True):
    """The history was compacted."""

    receipt: Receipt


class CompactFailed(Struct, frozen=True, tag=True):
    """The history is untouched; why, in one line, and what was `spent` on `model` all the same; `nothing`: there was nothing to compact."""

    trigger: Trigger
    reason: str
    kind: FailedKind = "failed"
    model: str = ""
    spent: Spent = Spent()


class RetryScheduled(Struct, frozen=True, tag=True):
    """The API failed; another attempt follows after `delay` seconds; deltas of this turn so far are void."""

    attempt: int
    max_attempts: int
    delay: float
    reason: str


class Notice(Struct, frozen=True, tag=True):
    """A line for the person; `output` is what a slash command printed (Markdown allowed, may be long)."""

    level: Literal["info", "warning", "error", "output"]
    text: str


class TurnEnded(Struct, frozen=True, tag=True):
    """The turn's calls are answered."""

    turn: int


class Interrupted(Struct, frozen=True, tag=True):
    """The person stopped the run; the history is legal."""


class Failed(Struct, frozen=True, tag=True):
    """The run ended by an error."""

    failure: Failure


class PromptFinished(Struct, frozen=True, tag=True):
    """Always the last event of a prompt's stream."""

    result: RunResult


class HistoryChanged(Struct, frozen=True, tag=True):
    """The conversation on screen must be drawn anew from `Session.history()` (clear, resume, rewind).

    After a rewind `prompt` is the text that was taken back, for editing.
    """

    reason: Literal["clear", "resume", "rewind", "undo"]
    prompt: str = ""


class ModeChanged(Struct, frozen=True, tag=True):
    """The permission mode changed."""

    mode: str


class ModelChanged(Struct, frozen=True, tag=True):
    """The model, or what is known of it, changed."""

    model: str


class TasksChanged(Struct, frozen=True, tag=True):
    """The task list changed: (state, text) pairs."""

    tasks: tuple[tuple[str, str], ...]


class StatusLineChanged(Struct, frozen=True, tag=True):
    """What the person's status line command printed, as it printed it: text from outside. Empty when there is none any more."""

    lines: tuple[str, ...]


class QueueChanged(Struct, frozen=True, tag=True):
    """Prompts waiting for their turn."""

    queued: tuple[str, ...]


class ExitRequested(Struct, frozen=True, tag=True):
    """The person asked to leave (/exit)."""


class EditorRequested(Struct, frozen=True, tag=True):
    """The person asked to edit a file (/memory open); a face with a terminal opens it in their editor."""

    path: str


Event: TypeAlias = (
    PromptAccepted
    | TurnStarted
    | TextDelta
    | ThinkingDelta
    | AssistantDone
    | ToolStarted
    | ToolProgress
    | ToolFinished
    | ToolResultsRecorded
    | Asked
    | Answered
    | HookStarted
    | HookFinished
    | MeterChanged
    | MicroCompacted
    | CompactStarted
    | CompactProgress
    | CompactFinished
    | CompactFailed
    | RetryScheduled
    | Notice
    | TurnEnded
    | Interrupted
    | Failed
    | PromptFinished
    | HistoryChanged
    | ModeChanged
    | ModelChanged
    | TasksChanged
    | StatusLineChanged
    | QueueChanged
    | ExitRequested
    | EditorRequested
)

Emit: TypeAlias = Callable[[Event], Awaitable[None]]
