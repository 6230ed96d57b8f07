"""From a hook's exit code and output to what it means for its event (reference 1.6 to 1.8); pure."""

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from agent.hooks.output import Output, SpecificOutput, read_output
from agent.process.runner import Finished
from agent.protocol.errors import HookError
from agent.protocol.hooks import HookEvent, HookOutcome, HookPermission

Status: TypeAlias = Literal["ok", "blocked", "failed", "timeout"]

BLOCK_EXIT_CODE = 2
CONTEXT_FROM_STDOUT = frozenset({HookEvent.SESSION_START, HookEvent.USER_PROMPT_SUBMIT})
BLOCKING = frozenset(
    {
        HookEvent.USER_PROMPT_SUBMIT,
        HookEvent.PRE_TOOL_USE,
        HookEvent.POST_TOOL_USE,  # the call is done: the reason goes to the model beside its result
        HookEvent.POST_TOOL_USE_FAILURE,
        HookEvent.STOP,
        HookEvent.PRE_COMPACT,
    }
)
DISCARDED = frozenset(
    {HookEvent.SESSION_END, HookEvent.INSTRUCTIONS_LOADED, HookEvent.STOP_FAILURE, HookEvent.NOTIFICATION}
)
ONLY_DECISION = frozenset({HookEvent.PRE_COMPACT, HookEvent.POST_COMPACT})  # systemMessage and continue have no effect

# An interpreter that cannot open or parse its script also exits with 2: that is no verdict.
_NEVER_STARTED = re.compile(
    r"^\S*(?:python|pypy)[\d.]*: can't open file |^(?:\S*/)?(?:sh|bash|dash|ash): .*(?:[Ss]yntax error|cannot open|can't open)",
    re.MULTILINE,
)
_PRECEDENCE: tuple[HookPermission, ...] = ("deny", "ask", "allow")


class HookReport(Struct, frozen=True):
    """How one hook ended, what a person should read of it (may be empty), and what it wants."""

    status: Status
    text: str = ""
    outcome: HookOutcome = HookOutcome()


def interpret(event: HookEvent, finished: Finished) -> HookReport:
    """What a finished hook means for `event`; output of a hook that ran out of time is void."""
    if finished.timed_out:
        return HookReport("timeout", "timed out; its output was discarded")
    try:
        output = read_output(finished.stdout, event)
    except HookError as error:
        return _block(event, finished, None) or HookReport("failed", error.what)
    if blocked := _block(event, finished, output):
        return blocked
    if output is not None:
        return _from_json(event, output)
    if finished.exit_code != 0:
        return _failure(finished)
    return _from_text(event, finished.stdout.strip())


def never_started(finished: Finished) -> bool:
    """Whether the hook's own words were never run: a missing program, no right to run it, or a script that cannot be opened or parsed."""
    return finished.exit_code in (126, 127) or (
        finished.exit_code == BLOCK_EXIT_CODE and _NEVER_STARTED.search(finished.stderr) is not None
    )


def merge(outcomes: Sequence[HookOutcome]) -> HookOutcome:
    """What all hooks of one firing say together: deny beats ask beats allow, any block blocks, any stop stops."""
    said = {outcome.permission for outcome in outcomes}
    permission = next((choice for choice in _PRECEDENCE if choice in said), None)
    blocked = any(outcome.blocked for outcome in outcomes)
    counting = [o for o in outcomes if (o.blocked if blocked else o.permission == permission)]
    return HookOutcome(
        blocked=blocked,
        reason="\n".join(dict.fromkeys(outcome.reason for outcome in counting if outcome.reason)),
        context=tuple(text for outcome in outcomes for text in outcome.context),
        instructions=tuple(text for outcome in outcomes for text in outcome.instructions),
        shown=tuple(text for outcome in outcomes for text in outcome.shown),
        permission=permission,
        updated_input=next((o.updated_input for o in reversed(outcomes) if o.updated_input is not None), None),
        updated_output=next((o.updated_output for o in reversed(outcomes) if o.updated_output is not None), None),
        rules=tuple(rule for outcome in outcomes for rule in outcome.rules),
        stop=any(outcome.stop for outcome in outcomes),
        stop_reason=next((outcome.stop_reason for outcome in outcomes if outcome.stop_reason), ""),
        title=next((outcome.title for outcome in reversed(outcomes) if outcome.title), ""),
    )


def _block(event: HookEvent, finished: Finished, output: Output | None) -> HookReport | None:
    """The verdict of exit code 2, whatever the JSON allows; None when it is no block."""
    stderr = finished.stderr.strip()
    if finished.exit_code != BLOCK_EXIT_CODE or event not in BLOCKING:
        return None
    if _NEVER_STARTED.search(stderr):
        return _failure(finished)
    reason = (_blocking_reason(output) if output else "") or stderr
    permission: HookPermission | None = "deny" if event is HookEvent.PRE_TOOL_USE else None
    return HookReport("blocked", reason, HookOutcome(blocked=True, reason=reason, permission=permission))


def _blocking_reason(output: Output) -> str:
    specific = output.hook_specific_output
    if specific is not None and specific.permission_decision == "deny" and specific.permission_decision_reason:
        return specific.permission_decision_reason
    return (output.reason or "") if output.decision == "block" else ""


def _failure(finished: Finished) -> HookReport:
    """A hook that failed by itself never blocks; the person reads the first line of stderr."""
    lines = finished.stderr.strip().splitlines()
    reason = lines[0] if lines else f"exit code {finished.exit_code}, nothing on stderr"
    return HookReport("failed", f"Failed with non-blocking status code: {reason}")


def _from_text(event: HookEvent, text: str) -> HookReport:
    if not text:
        return HookReport("ok")
    if event in CONTEXT_FROM_STDOUT:
        return HookReport("ok", "", HookOutcome(context=(text,)))
    if event is HookEvent.PRE_COMPACT:
        return HookReport("ok", text, HookOutcome(instructions=(text,)))
    if event is HookEvent.POST_COMPACT:
        return HookReport("ok", text, HookOutcome(shown=(text,)))
    return HookReport("ok")


def _from_json(event: HookEvent, output: Output) -> HookReport:
    if event in DISCARDED:
        return HookReport("ok")
    wants = _decision(event, output)
    if event in ONLY_DECISION:
        return HookReport("blocked" if wants.blocked else "ok", wants.reason, wants)
    specific = output.hook_specific_output
    context = (specific.additional_context,) if specific and specific.additional_context else ()
    outcome = HookOutcome(
        blocked=wants.blocked or (event is HookEvent.STOP and bool(context)),  # feedback that keeps the run going
        reason=wants.reason or (context[0] if event is HookEvent.STOP and context else ""),
        context=() if event is HookEvent.STOP else context,
        shown=(output.system_message,) if output.system_message else (),
        permission=wants.permission,
        updated_input=wants.updated_input,
        updated_output=_updated_output(event, specific),
        rules=wants.rules,
        stop=wants.stop or output.go_on is False,
        title=" ".join((specific.session_title or "").split()) if specific and event in CONTEXT_FROM_STDOUT else "",
        stop_reason=wants.stop_reason or (output.stop_reason or "" if output.go_on is False else ""),
    )
    said = (output.system_message or "", wants.reason if wants.blocked else "", outcome.stop_reason)
    return HookReport("blocked" if wants.blocked else "ok", "\n".join(filter(None, said)), outcome)


def _decision(event: HookEvent, output: Output) -> HookOutcome:
    """The part of the outcome that decides."""
    specific = output.hook_specific_output
    if event is HookEvent.PRE_TOOL_USE:
        return _tool_decision(output, specific)
    if event is HookEvent.PERMISSION_REQUEST:
        return _request_decision(specific)
    if output.decision == "block" and event in BLOCKING:
        return HookOutcome(blocked=True, reason=output.reason or "")
    return HookOutcome()


def _tool_decision(output: Output, specific: SpecificOutput | None) -> HookOutcome:
    """PreToolUse: the specific decision, else the older top-level one; "defer" leaves it to a person here."""
    permission: HookPermission | None = None
    reason = output.reason or ""
    if specific is not None and specific.permission_decision is not None:
        permission = "ask" if specific.permission_decision == "defer" else specific.permission_decision
        reason = specific.permission_decision_reason or reason
    elif output.decision is not None:
        permission = "deny" if output.decision == "block" else "allow"
    updated = specific.updated_input if specific is not None and permission != "deny" else None
    return HookOutcome(blocked=permission == "deny", reason=reason, permission=permission, updated_input=updated)


def _request_decision(specific: SpecificOutput | None) -> HookOutcome:
    """PermissionRequest: an answer in the person's place."""
    decision = specific.decision if specific is not None else None
    if decision is None:
        return HookOutcome()
    if decision.behavior == "allow":
        rules = tuple(rule.text for update in decision.updated_permissions or () for rule in update.allowed)
        return HookOutcome(permission="allow", updated_input=decision.updated_input, rules=rules)
    reason = decision.message or ""
    return HookOutcome(
        permission="deny",
        reason=reason,
        stop=bool(decision.interrupt),
        stop_reason=reason if decision.interrupt else "",
    )


def _updated_output(event: HookEvent, specific: SpecificOutput | None) -> str | None:
    """PostToolUse: what stands in the result instead; anything but a text is given as JSON."""
    if event is not HookEvent.POST_TOOL_USE or specific is None or specific.updated_tool_output is None:
        return None
    said = specific.updated_tool_output
    return said if isinstance(said, str) else msgspec.json.encode(said).decode()
