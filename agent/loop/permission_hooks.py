"""Hooks around a permission: before every tool, and in the person's place when a question is due (reference 1.6)."""

import os
from pathlib import Path

from agent.loop.deps import Deps
from agent.permissions.rules import Rule, parse_rule
from agent.protocol.blocks import ToolUse
from agent.protocol.errors import SettingsError
from agent.protocol.hooks import HookEvent, HookInput, HookOutcome
from agent.protocol.source import QuerySource

NOTIFICATION = "permission_prompt"


def tool_fields(deps: Deps, call: ToolUse) -> dict[str, object]:
    """The stdin fields of every event about a tool."""
    return {
        "tool_name": call.name,
        "tool_input": _whole_path(call, deps.parts.workplace.cwd),
        "tool_use_id": call.id,
        "permission_mode": deps.parts.authority.mode.value,
    }


async def pre_tool_use(deps: Deps, call: ToolUse) -> HookOutcome:
    """What PreToolUse hooks say of `call`."""
    hook = HookInput(event=HookEvent.PRE_TOOL_USE, subject=call.name, fields=tool_fields(deps, call))
    return await deps.parts.hooks.run(hook, deps.emit)


async def permission_request(deps: Deps, call: ToolUse, rule: Rule | None) -> HookOutcome:
    """What PermissionRequest hooks answer in the person's place; rules they add hold until the session ends."""
    fields = tool_fields(deps, call)
    del fields["tool_use_id"]
    if rule is not None:
        fields["permission_suggestions"] = [_suggestion(rule)]
    hook = HookInput(event=HookEvent.PERMISSION_REQUEST, subject=call.name, fields=fields)
    outcome = await deps.parts.hooks.run(hook, deps.emit)
    for text in outcome.rules if outcome.permission == "allow" else ():
        try:
            deps.parts.authority.allow_for_session(parse_rule(text, source="hook"))
        except SettingsError:
            continue  # this call is answered all the same
    return outcome


def notify(deps: Deps, call: ToolUse) -> None:
    """Tells Notification hooks that a person is waited for; nobody waits for the hooks."""
    if deps.parts.frame.query_source is not QuerySource.REPL:
        return
    fields: dict[str, object] = {
        "message": f"ccagent needs your permission to use {call.name}",
        "title": "Permission needed",
        "notification_type": NOTIFICATION,
    }
    deps.parts.hooks.tell(HookInput(event=HookEvent.NOTIFICATION, subject=NOTIFICATION, fields=fields), deps.emit)


def _whole_path(call: ToolUse, cwd: Path) -> dict[str, object]:
    """The input with an absolute `file_path`, as guards expect it, whatever the model has written."""
    path = call.input.get("file_path")
    if not isinstance(path, str) or not path or "\0" in path:
        return call.input
    return {**call.input, "file_path": os.path.normpath(cwd / os.path.expanduser(path))}


def _suggestion(rule: Rule) -> dict[str, object]:
    content = {"toolName": rule.tool, **({"ruleContent": rule.spec} if rule.spec else {})}
    return {"type": "addRules", "rules": [content], "behavior": "allow", "destination": "session"}
