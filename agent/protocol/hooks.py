"""What a hook is told and what it may say: the contract of hook scripts (reference section 1)."""

from enum import StrEnum
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from agent.protocol.events import Emit


class HookEvent(StrEnum):
    """The events that run hooks."""

    SESSION_START = "SessionStart"
    SESSION_END = "SessionEnd"
    USER_PROMPT_SUBMIT = "UserPromptSubmit"
    PRE_TOOL_USE = "PreToolUse"
    POST_TOOL_USE = "PostToolUse"
    POST_TOOL_USE_FAILURE = "PostToolUseFailure"
    PERMISSION_REQUEST = "PermissionRequest"
    NOTIFICATION = "Notification"
    STOP = "Stop"
    STOP_FAILURE = "StopFailure"
    PRE_COMPACT = "PreCompact"
    POST_COMPACT = "PostCompact"
    INSTRUCTIONS_LOADED = "InstructionsLoaded"


HookPermission: TypeAlias = Literal["allow", "deny", "ask"]


class HookInput(Struct, frozen=True):
    """One firing: the event, what matchers match on (tool name, trigger, source, ...), and the extra stdin fields."""

    event: HookEvent
    subject: str
    fields: dict[str, object]


class HookOutcome(Struct, frozen=True):
    """What all matching hooks said together; the empty outcome means "nothing to say".

    `blocked` stops the step where the event can block; `reason` goes to whoever the event says. `instructions` is PreCompact's plain
    stdout; `context` goes to the model; `shown` goes to the person only; `stop` ends the run after this hook; `updated_output` stands in a
    tool's result instead of what the tool said; `rules` are allowed until the session ends (PermissionRequest); `title` names the session (SessionStart, UserPromptSubmit).
    """

    blocked: bool = False
    reason: str = ""
    context: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    permission: HookPermission | None = None
    updated_input: dict[str, object] | None = None
    updated_output: str | None = None
    rules: tuple[str, ...] = ()
    stop: bool = False
    stop_reason: str = ""
    title: str = ""


class HookRunner(Protocol):
    """Runs every hook that matches, in parallel; emits HookStarted and HookFinished; never raises for what a hook does."""

    async def run(self, hook: HookInput, emit: Emit) -> HookOutcome: ...

    def tell(self, hook: HookInput, emit: Emit) -> None:
        """Starts what matches without waiting for it: for events whose output is discarded."""
        ...

    def late(self) -> tuple[str, ...]:
        """What hooks that run in the background have said to the model since; each text once."""
        ...

    async def close(self) -> None:
        """Ends hooks that still run in the background."""
        ...
