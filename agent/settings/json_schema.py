"""The JSON schema of a settings file, from the types that read it: `python -m agent.settings.json_schema > docs/settings.schema.json`."""

import json
import sys

import msgspec

from agent.settings.hook_entries import KNOWN_EVENTS, CommandHandler
from agent.settings.schema import FileSettings

DIALECT = "http://json-schema.org/draft-07/schema#"
TITLE = "Settings of ccagent"

ABOUT = {
    "model": "The model that answers: an id, or opus, sonnet, haiku, fable. Read at the start.",
    "effortLevel": "How hard the model thinks: low, medium, high, xhigh, max. Read at the start.",
    "autoCompactEnabled": "Whether the conversation is compacted by itself (default true).",
    "autoCompactWindow": "How many tokens may fill up before it is compacted; never more than the model's window.",
    "autoCompactWindows": "The same for single models, by id or alias; comes before autoCompactWindow.",
    "autoCompactPolicy": "Read, and nothing else yet: it is always the window that decides when to compact.",
    "autoCompactApprove": "Whether a person is asked before a compaction is installed.",
    "precomputeCompactionEnabled": "Read, and nothing else yet: no summary is prepared before it is due.",
    "reactiveCompact": "Whether a prompt that the API refuses as too long is compacted and sent again (default true).",
    "reactiveCompactRemote": "The same where no person sits: --print and editors (default true).",
    "messageIdleNotifThresholdMs": "Milliseconds after an answer until Notification hooks hear idle_prompt (default 60000).",
    "cleanupPeriodDays": "Days that records of sessions are kept (default 30).",
    "fileCheckpointingEnabled": "Whether files are copied before they are edited, so that /rewind can restore them (default true).",
    "claudeMdExcludes": "Globs on absolute paths: memory files that are left out.",
    "disableAllHooks": "Switches every hook off that is not managed.",
    "apiKeyHelper": "A shell command that prints the API key.",
    "statusLine": "A command that prints the status line.",
    "env": "Variables for this session and everything it starts; an empty text unsets one.",
    "permissions": "Rules such as Read(src/**) or Bash(npm test:*): deny beats ask beats allow.",
    "experiments": "A local stand-in for remote experiments.",
    "hooks": "Commands that run at fixed points, by event.",
}


def settings_schema() -> dict[str, object]:
    """The schema (draft 07) as JSON data; keys it does not know are allowed, because they are skipped with a notice."""
    _types, parts = msgspec.json.schema_components(
        [FileSettings, CommandHandler], schema_hook=lambda _kind: {"type": "array"}, ref_template="#/definitions/{name}"
    )
    settings = _plain(parts.pop("FileSettings"))
    properties = {name: {**_named(settings, name), "description": text} for name, text in ABOUT.items()}
    groups = {"type": "array", "items": {"$ref": "#/definitions/MatcherGroup"}}
    events = {"type": "object", "properties": dict.fromkeys(KNOWN_EVENTS, groups)}
    properties["hooks"] = {"description": ABOUT["hooks"], **events}
    parts["MatcherGroup"] = _matcher_group()
    return {
        "$schema": DIALECT,
        "title": TITLE,
        "type": "object",
        "properties": {"$schema": {"type": "string"}, **properties},
        "definitions": {name: _plain(part) for name, part in sorted(parts.items())},
    }


def settings_schema_text() -> str:
    """The schema as the file in docs holds it."""
    return json.dumps(settings_schema(), indent=2, ensure_ascii=False) + "\n"


def _matcher_group() -> dict[str, object]:
    """A matcher and its handlers (reference 1.1)."""
    other = {
        "type": "object",
        "properties": {"type": {"enum": ["http", "mcp_tool", "prompt", "agent"]}},
        "required": ["type"],
    }
    command = {
        "allOf": [
            {"$ref": "#/definitions/CommandHandler"},
            {"properties": {"type": {"const": "command"}}, "required": ["type"]},
        ]
    }
    return {
        "type": "object",
        "properties": {
            "matcher": {
                "type": "string",
                "description": "Names between |, or a regular expression; empty or * for all.",
            },
            "hooks": {"type": "array", "items": {"anyOf": [command, other]}},
        },
        "required": ["hooks"],
    }


def _named(settings: object, name: str) -> dict[str, object]:
    properties = settings.get("properties") if isinstance(settings, dict) else None
    found = properties.get(name) if isinstance(properties, dict) else None
    if not isinstance(found, dict):
        raise KeyError(name)
    return found


def _plain(part: object) -> object:
    """Without titles, defaults, our docstrings and the null that only says "not said"."""
    if isinstance(part, list):
        return [_plain(item) for item in part]
    if not isinstance(part, dict):
        return part
    kept = {
        key: _plain(value)
        for key, value in part.items()
        if key not in ("title", "default") and not _is_ours(key, value)
    }
    choices = kept.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices and len(choices) == 2:
        (only,) = (choice for choice in choices if choice != {"type": "null"})
        return {**{key: value for key, value in kept.items() if key != "anyOf"}, **only}
    return kept


def _is_ours(key: str, value: object) -> bool:
    return key == "description" and isinstance(value, str)


if __name__ == "__main__":
    sys.stdout.write(settings_schema_text())
