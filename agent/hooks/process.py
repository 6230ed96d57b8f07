"""How a hook's process is started: arguments, environment, stdin, time (reference 1.2, 1.3, 1.5)."""

import json
from collections.abc import Mapping
from pathlib import Path

from agent.hooks.env_file import VARIABLE
from agent.protocol.errors import HookError
from agent.protocol.hooks import HookEvent, HookInput
from agent.settings.env import child_env, number
from agent.settings.hook_entries import CommandHandler

DEFAULT_TIMEOUT = 600.0  # seconds
PROMPT_TIMEOUT = 30.0
SESSION_END_TIMEOUT = 1.5
SESSION_END_LIMIT = 60.0
SESSION_END_VARIABLE = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"

_WITHOUT_MODE = frozenset(
    {
        HookEvent.SESSION_START,
        HookEvent.SESSION_END,
        HookEvent.NOTIFICATION,
        HookEvent.STOP_FAILURE,
        HookEvent.PRE_COMPACT,
        HookEvent.POST_COMPACT,
        HookEvent.INSTRUCTIONS_LOADED,
    }
)

_WITH_EFFORT = frozenset(
    {
        HookEvent.PRE_TOOL_USE,
        HookEvent.POST_TOOL_USE,
        HookEvent.POST_TOOL_USE_FAILURE,
        HookEvent.PERMISSION_REQUEST,
        HookEvent.STOP,
    }
)


def hook_argv(handler: CommandHandler, project_dir: Path) -> tuple[str, ...]:
    """The program and its arguments: direct when there are `args`, else one shell line; no shell reads a profile. HookError for powershell."""
    if handler.args is not None:
        return tuple(_placed(word, project_dir) for word in (handler.command, *handler.args))
    match handler.shell:
        case None | "sh":
            return ("sh", "-c", handler.command)
        case "bash":
            return ("bash", "--noprofile", "--norc", "-c", handler.command)
        case other:
            raise HookError(f"There is no shell {other!r} for hooks here.")


def hook_env(
    env: Mapping[str, str], project_dir: Path, session_id: str, env_file: Path | None = None
) -> dict[str, str]:
    """The agent's environment without keys, and what hook scripts expect on top; `env_file` is where SessionStart hooks may export."""
    inherited = child_env(env)
    inherited.pop(VARIABLE, None)  # the person's own file is not a hook's to write
    return {
        **inherited,
        **({VARIABLE: str(env_file)} if env_file else {}),
        "CLAUDE_PROJECT_DIR": str(project_dir),
        "CCAGENT_PROJECT_DIR": str(project_dir),
        "CLAUDE_CODE_SESSION_ID": session_id,
        "CLAUDECODE": "1",
    }


def hook_stdin(hook: HookInput, common: Mapping[str, object]) -> bytes:
    """One line of JSON: the common fields, the event's name, its own fields; permission_mode and effort only where hooks know them."""
    fields = {**common, "hook_event_name": hook.event.value, **hook.fields}
    if hook.event in _WITHOUT_MODE:
        fields.pop("permission_mode", None)
    if hook.event not in _WITH_EFFORT:
        fields.pop("effort", None)
    return json.dumps(fields, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"


def hook_timeout(handler: CommandHandler, event: HookEvent, env: Mapping[str, str]) -> float:
    """Seconds the hook may take; at the session's end nobody waits for long."""
    if event is HookEvent.SESSION_END:
        if told := number(env.get(SESSION_END_VARIABLE, "")):
            return max(0.0, told / 1000)
        return min(handler.timeout or SESSION_END_TIMEOUT, SESSION_END_LIMIT)
    return handler.timeout or (PROMPT_TIMEOUT if event is HookEvent.USER_PROMPT_SUBMIT else DEFAULT_TIMEOUT)


def _placed(word: str, project_dir: Path) -> str:
    return word.replace("${CLAUDE_PROJECT_DIR}", str(project_dir))
