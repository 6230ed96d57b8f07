"""What a hook may print as JSON, checked field by field (reference 1.6 and 1.7)."""

from typing import Literal

import msgspec
from msgspec import Struct

from agent.protocol.errors import HookError
from agent.protocol.hooks import HookEvent

SPECIFIC_EVENTS = frozenset(
    {
        HookEvent.SESSION_START,
        HookEvent.USER_PROMPT_SUBMIT,
        HookEvent.PRE_TOOL_USE,
        HookEvent.PERMISSION_REQUEST,
        HookEvent.POST_TOOL_USE,
        HookEvent.POST_TOOL_USE_FAILURE,
        HookEvent.NOTIFICATION,
        HookEvent.STOP,
    }
)


class RuleContent(Struct, frozen=True, rename="camel"):
    """A permission rule in two parts."""

    tool_name: str
    rule_content: str | None = None

    @property
    def text(self) -> str:
        """The rule in the syntax of settings files."""
        return f"{self.tool_name}({self.rule_content})" if self.rule_content else self.tool_name


class PermissionUpdate(Struct, frozen=True, rename="camel"):
    """What "do not ask again" would change; here only added allow rules have an effect, and until the session ends."""

    type: str
    behavior: str = "allow"
    rules: tuple[RuleContent, ...] = ()

    @property
    def allowed(self) -> tuple[RuleContent, ...]:
        """The rules this allows."""
        return self.rules if self.type == "addRules" and self.behavior == "allow" else ()


class RequestDecision(Struct, frozen=True, rename="camel"):
    """A PermissionRequest hook's answer in the person's place."""

    behavior: Literal["allow", "deny"]
    updated_input: dict[str, object] | None = None
    updated_permissions: tuple[PermissionUpdate, ...] | None = None
    message: str | None = None
    interrupt: bool | None = None


class SpecificOutput(Struct, frozen=True, rename="camel"):
    """`hookSpecificOutput`; which fields count depends on the event."""

    hook_event_name: str
    permission_decision: Literal["allow", "deny", "ask", "defer"] | None = None
    permission_decision_reason: str | None = None
    updated_input: dict[str, object] | None = None
    additional_context: str | None = None
    updated_tool_output: object = None
    session_title: str | None = None
    decision: RequestDecision | None = None


class Output(Struct, frozen=True, rename="camel"):
    """The fields every event knows; `suppressOutput` is accepted and has no effect."""

    go_on: bool | None = msgspec.field(default=None, name="continue")
    stop_reason: str | None = None
    suppress_output: bool | None = None
    system_message: str | None = None
    decision: Literal["approve", "block"] | None = None
    reason: str | None = None
    hook_specific_output: SpecificOutput | None = None


def read_output(stdout: str, event: HookEvent) -> Output | None:
    """The JSON object a hook printed, None when it printed plain text; HookError when the object is not one this event may print."""
    text = stdout.strip()
    if not text.startswith("{"):
        return None
    try:
        raw: object = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        return None  # not JSON after all: plain text
    try:
        output = msgspec.convert(raw, Output)
    except msgspec.ValidationError as error:
        raise HookError(f"Hook JSON output validation failed: {error}") from error
    specific = output.hook_specific_output
    if specific is not None and (event not in SPECIFIC_EVENTS or specific.hook_event_name != event):
        name = specific.hook_event_name[:100]
        raise HookError(
            f"Hook JSON output validation failed: hookSpecificOutput for {name!r} is not part of {event}'s output"
        )
    return output
