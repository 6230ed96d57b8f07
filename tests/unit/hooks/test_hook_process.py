"""How long a hook may take."""

import pytest

from agent.hooks.process import hook_timeout
from agent.protocol.hooks import HookEvent
from agent.settings.hook_entries import CommandHandler


@pytest.mark.parametrize(
    ("event", "told", "env", "seconds"),
    [
        ("PreToolUse", None, {}, 600),
        ("PreToolUse", 5000, {}, 5000),  # seconds, whatever the writer thought
        ("UserPromptSubmit", None, {}, 30),
        ("UserPromptSubmit", 90, {}, 90),
        ("SessionEnd", None, {}, 1.5),
        ("SessionEnd", 20, {}, 20),
        ("SessionEnd", 600, {}, 60),
        ("SessionEnd", None, {"CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS": "4000"}, 4),
    ],
)
def test_timeouts(event: str, told: float | None, env: dict[str, str], seconds: float) -> None:
    assert hook_timeout(CommandHandler(command="x", timeout=told), HookEvent(event), env) == seconds
