"""The settings as a person knows them: the key in the file (or the variable), the value, and where it came from."""

import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import asdict

from agent.protocol.source import Sourced
from agent.settings.schema import FileSettings, StatusLine
from agent.settings.settings import Settings

MASK = "(set, not shown)"
_NAMES = {
    "effort": "effortLevel",
    "max_thinking_tokens": "MAX_THINKING_TOKENS",
    "max_output_tokens": "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "max_context_tokens": "CLAUDE_CODE_MAX_CONTEXT_TOKENS",
    "pct_override": "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
    "blocking_override": "CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE",
    "disable_compact": "DISABLE_COMPACT",
    "precompute_compaction": "precomputeCompactionEnabled",
    "file_checkpointing": "fileCheckpointingEnabled",
    "spill_limit": "experiments.spillLimit",
    "session_memory": "experiments.sessionMemory",
    "permission_mode": "permissions.defaultMode",
    "allow": "permissions.allow",
    "deny": "permissions.deny",
    "ask": "permissions.ask",
    "additional_directories": "permissions.additionalDirectories",
}
_KEYS = {field.name: field.encode_name for field in msgspec.structs.fields(FileSettings)}
_PRIVATE = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|HEADER", re.IGNORECASE)


def setting_name(field: str) -> str:
    """How a person calls the field of `Settings`: the key of a settings file, or the environment variable."""
    return _NAMES.get(field) or _KEYS.get(field, field)


def setting_rows(settings: Settings) -> Iterator[tuple[str, str, str]]:
    """(name, value, source) of every single value; rules and hooks have commands of their own."""
    single = [(field, value) for field, value in asdict(settings).items() if isinstance(value, Sourced)]
    for field, value in sorted(
        single, key=lambda item: item[1].source == "default"
    ):  # what somebody has set comes first
        yield setting_name(field), _shown(value.value), value.source
    for model, window in settings.auto_compact_windows.items():
        yield f"autoCompactWindows.{model}", _shown(window.value), window.source
    for folder in settings.additional_directories:
        yield "permissions.additionalDirectories", _shown(folder.value), folder.source
    for glob in settings.claude_md_excludes:
        yield "claudeMdExcludes", glob.value, glob.source
    for name, text in settings.env.items():
        yield f"env.{name}", MASK if _PRIVATE.search(name) else text, settings.env_sources.get(name, "")


def _shown(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case StatusLine():
            return value.command
        case _:
            return str(value)
