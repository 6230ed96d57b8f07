"""May this call run: deny rules first, then PreToolUse hooks, then the gate, then the person."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from agent.loop.deps import AnyTool, Authority, Deps
from agent.loop.permission_hooks import notify, permission_request, pre_tool_use
from agent.permissions.gate import Decision, Verdict
from agent.permissions.modes import Mode
from agent.permissions.rules import Rule
from agent.protocol.asks import Permission
from agent.protocol.blocks import ToolUse
from agent.protocol.details import Details
from agent.protocol.hooks import HookOutcome
from agent.protocol.model import ToolSpec
from agent.protocol.tools import Access, Subject


class Permitted(Struct, frozen=True):
    """The decision; when it is no, `reason` is what the model reads. `context` is what hooks told the model.

    `halts` is the hook's outcome that ends the whole run, if one does.
    """

    allowed: bool
    reason: str = ""
    context: tuple[str, ...] = ()
    updated_input: dict[str, object] | None = None
    halts: HookOutcome | None = None


async def permitted(deps: Deps, call: ToolUse, tool: AnyTool, subject: Subject, preview: Details | None) -> Permitted:
    """Deny beats ask beats allow: no hook and no answer can allow what a deny rule forbids, no hook's "allow" what an ask rule asks for.

    The person is asked about the input that will run: the one a hook has changed.
    """
    authority = deps.parts.authority
    decision = authority.gate.decide(tool.spec, subject, authority.mode)
    if decision.verdict is Verdict.DENY:
        return Permitted(False, f"Permission to use {call.name} was denied: {decision.reason}")
    outcome = await pre_tool_use(deps, call)
    if outcome.stop:
        reason = outcome.reason or "A PreToolUse hook stopped the run before this call."
        return Permitted(False, reason, outcome.context, halts=outcome)
    if outcome.blocked or outcome.permission == "deny":
        return Permitted(False, outcome.reason or "A PreToolUse hook blocked this call.", outcome.context)
    if outcome.updated_input is not None:
        call = ToolUse(id=call.id, name=call.name, input=outcome.updated_input)
        subject, preview = tool.subject(tool.parse(call.input), deps.parts.workplace.cwd), None
        decision = authority.gate.decide(tool.spec, subject, authority.mode)
        if decision.verdict is Verdict.DENY:
            return Permitted(
                False, f"Permission to use {call.name} was denied after a hook changed its input.", outcome.context
            )
    elif _is_own_record(deps, subject):
        decision = Decision(Verdict.ALLOW)
    asks = decision.verdict is Verdict.ASK and (decision.insists or outcome.permission != "allow")
    if asks or outcome.permission == "ask":
        why = outcome.reason or (decision.reason if decision.told else "")
        return await _ask(deps, call, tool, subject, preview, outcome, why)
    return Permitted(True, "", outcome.context, outcome.updated_input)


def _is_own_record(deps: Deps, subject: Subject) -> bool:
    """Whether a call only reads what this session, or one that it was copied from, has put aside.

    Folder and transcript can always be read back. A copy may name only sessions of ours as its sources: what a file says opens no other
    folder.
    """
    if subject.access is not Access.READ or not subject.paths:
        return False
    transcript = deps.conversation.transcript
    projects = Path(os.path.realpath(transcript.path.parent.parent))
    records = [Path(os.path.realpath(path)) for path in (transcript.path, *transcript.sources)]
    own = [path for path in records if path.parent.parent == projects and path.suffix == ".jsonl"]
    real = [Path(os.path.realpath(path)) for path in subject.paths]
    return all(any(path == record or path.is_relative_to(record.with_suffix("")) for record in own) for path in real)


def _decide_again(deps: Deps, tool: AnyTool, updated: Mapping[str, object]) -> Verdict:
    authority = deps.parts.authority
    subject = tool.subject(tool.parse(updated), deps.parts.workplace.cwd)
    return authority.gate.decide(tool.spec, subject, authority.mode).verdict


async def _ask(
    deps: Deps, call: ToolUse, tool: AnyTool, subject: Subject, preview: Details | None, outcome: HookOutcome, why: str
) -> Permitted:
    authority = deps.parts.authority
    if authority.mode is Mode.DONT_ASK:
        return Permitted(False, f"Permission to use {call.name} was denied: not asked in dontAsk mode", outcome.context)
    rule = authority.gate.session_rule_for(tool.spec, subject)
    if (decided := await _hook_answer(deps, call, tool, rule, outcome)) is not None:
        return decided
    question = Permission(
        tool=call.name,
        tool_use_id=call.id,
        title=subject.title,
        input=call.input,
        details=preview,
        rule=rule.text if rule else "",
        reason=why,
        flag=_flag(authority, tool.spec, subject, rule),
    )
    notify(deps, call)
    answer = await deps.asker.ask(question)
    if answer.unasked:
        return Permitted(False, f"Permission to use {call.name} was denied: {unasked(question)}", outcome.context)
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


def _flag(authority: Authority, spec: ToolSpec, subject: Subject, rule: Rule | None) -> str:
    """The rule that would allow such a call from the command line: the session's, else every command; "" where that would not do."""
    wider = rule or (Rule(spec.name) if subject.access is Access.EXECUTE else None)
    if wider is None:
        return ""
    decision = authority.gate.with_session_rule(wider).decide(spec, subject, authority.mode)
    return wider.text if decision.verdict is Verdict.ALLOW else ""


def unasked(question: Permission) -> str:
    """That nobody could be asked, and the flag that would allow the call where one can."""
    how = f" --allowed-tools {shlex.quote(question.flag)} allows it." if question.flag else ""
    return f"nobody could be asked, because this session has no screen (-p).{how}"


async def _hook_answer(
    deps: Deps, call: ToolUse, tool: AnyTool, rule: Rule | None, outcome: HookOutcome
) -> Permitted | None:
    """A PermissionRequest hook's answer in the person's place; None when the person must be asked."""
    answer = await permission_request(deps, call, rule)
    context = (*outcome.context, *answer.context)
    halts = answer if answer.stop else None
    if answer.permission == "deny" or halts is not None:
        return Permitted(False, answer.reason or "A PermissionRequest hook denied this call.", context, halts=halts)
    if answer.permission != "allow":
        return None
    updated = outcome.updated_input if answer.updated_input is None else answer.updated_input
    if updated is not None and _decide_again(deps, tool, updated) is Verdict.DENY:
        return Permitted(False, f"Permission to use {call.name} was denied after a hook changed its input.", context)
    return Permitted(True, "", context, updated)
