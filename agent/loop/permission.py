"""May this call run: deny rules first, then PreToolUse hooks, then the gate, then the person."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from agent.loop.deps import AnyTool, Deps
from agent.permissions.gate import Verdict
from agent.protocol.asks import Permission
from agent.protocol.blocks import ToolUse
from agent.protocol.details import Details
from agent.protocol.hooks import HookEvent, HookInput, HookOutcome
from agent.protocol.tools import Access, Subject


class Permitted(Struct, frozen=True):
    """The decision; when it is no, `reason` is what the model reads. `context` is what hooks told the model."""

    allowed: bool
    reason: str = ""
    context: tuple[str, ...] = ()
    updated_input: dict[str, object] | None = None


async def permitted(deps: Deps, call: ToolUse, tool: AnyTool, subject: Subject, preview: Details | None) -> Permitted:
    """Deny beats allow: no hook and no answer can allow what a deny rule forbids."""
    authority = deps.parts.authority
    decision = authority.gate.decide(tool.spec, subject, authority.mode)
    if decision.verdict is Verdict.DENY:
        return Permitted(False, f"Permission to use {call.name} was denied: {decision.reason}")
    outcome = await _pre_tool_hooks(deps, call)
    if outcome.blocked or outcome.permission == "deny":
        return Permitted(False, outcome.reason or "A PreToolUse hook blocked this call.", outcome.context)
    if outcome.updated_input is not None:
        verdict = _decide_again(deps, tool, outcome.updated_input)
        if verdict is Verdict.DENY:
            return Permitted(
                False, f"Permission to use {call.name} was denied after a hook changed its input.", outcome.context
            )
    else:
        verdict = Verdict.ALLOW if _is_own_record(deps, subject) else decision.verdict
    if outcome.permission == "ask" or (verdict is Verdict.ASK and outcome.permission != "allow"):
        return await _ask(deps, call, tool, subject, preview, outcome)
    return Permitted(True, "", outcome.context, outcome.updated_input)


def _is_own_record(deps: Deps, subject: Subject) -> bool:
    """Whether a call only reads what this session has put aside: spilled results and its transcript can always be read back."""
    if subject.access is not Access.READ or not subject.paths:
        return False
    folder = os.path.realpath(deps.parts.spill_dir)
    record = os.path.realpath(deps.conversation.transcript.path)
    real = [Path(os.path.realpath(path)) for path in subject.paths]
    return all(path.is_relative_to(folder) or path == Path(record) for path in real)


def _decide_again(deps: Deps, tool: AnyTool, updated: Mapping[str, object]) -> Verdict:
    authority = deps.parts.authority
    subject = tool.subject(tool.parse(updated), deps.parts.workplace.cwd)
    return authority.gate.decide(tool.spec, subject, authority.mode).verdict


async def _pre_tool_hooks(deps: Deps, call: ToolUse) -> HookOutcome:
    fields: dict[str, object] = {
        "tool_name": call.name,
        "tool_input": call.input,
        "tool_use_id": call.id,
        "permission_mode": deps.parts.authority.mode.value,
    }
    return await deps.parts.hooks.run(
        HookInput(event=HookEvent.PRE_TOOL_USE, subject=call.name, fields=fields), deps.emit
    )


async def _ask(
    deps: Deps, call: ToolUse, tool: AnyTool, subject: Subject, preview: Details | None, outcome: HookOutcome
) -> Permitted:
    authority = deps.parts.authority
    rule = authority.gate.session_rule_for(tool.spec, subject)
    question = Permission(
        tool=call.name,
        tool_use_id=call.id,
        title=subject.title,
        input=call.input,
        details=preview,
        rule=rule.text if rule else "",
        reason=outcome.reason,
    )
    answer = await deps.asker.ask(question)
    if not answer.allowed:
        said = f" They said: {answer.comment}" if answer.comment.strip() else ""
        return Permitted(
            False,
            f"The user did not allow this call.{said} Do not try it again unless they ask for it.",
            outcome.context,
        )
    if answer.choice == "session" and rule is not None:
        authority.allow_for_session(rule)
    return Permitted(True, "", outcome.context, outcome.updated_input)
