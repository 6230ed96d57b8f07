"""A hook's `if`: one permission rule that the tool call must fit (reference 1.2)."""

import os
from pathlib import Path

from agent.permissions.path_match import PathScope
from agent.permissions.rule_match import Call, names_call
from agent.permissions.rules import parse_rule
from agent.protocol.errors import SettingsError
from agent.protocol.hooks import HookEvent, HookInput
from agent.protocol.tools import Access, Subject

TOOL_EVENTS = frozenset(
    {HookEvent.PRE_TOOL_USE, HookEvent.POST_TOOL_USE, HookEvent.POST_TOOL_USE_FAILURE, HookEvent.PERMISSION_REQUEST}
)


def holds(condition: str | None, hook: HookInput, scope: PathScope) -> bool:
    """Whether a handler with this `if` runs: never on events without a tool, and rather too often than too seldom on the others."""
    if condition is None:
        return True
    if hook.event not in TOOL_EVENTS:
        return False
    try:
        rule = parse_rule(condition)
    except SettingsError:
        return True  # a guard with a broken rule still guards
    raw = hook.fields.get("tool_input")
    return names_call(
        rule, Call(hook.subject, _subject(raw if isinstance(raw, dict) else {}, scope)), scope, liberal=True
    )


def _subject(tool_input: dict[str, object], scope: PathScope) -> Subject:
    command = tool_input.get("command")
    if isinstance(command, str):
        return Subject(Access.EXECUTE, "", command=command)
    named = (tool_input.get(key) for key in ("file_path", "path", "notebook_path"))
    paths = tuple(
        Path(os.path.normpath(scope.cwd / text)) for text in named if isinstance(text, str) and "\0" not in text
    )
    return Subject(Access.READ, "", paths)
