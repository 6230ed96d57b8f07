"""Hooks that misbehave: whatever one does to its folder, its home, its pipes or its settings, the prompt is answered and the session ends."""

import json

import pytest

from agent.api import Flags
from agent.protocol.events import Failed, HookFinished
from agent.rehearsal.script import call, say
from tests.walks.conftest import finished, of

DEEDS = {
    "floods": "head -c 50000000 /dev/zero | tr '\\0' x",
    "floods its errors": "head -c 50000000 /dev/zero | tr '\\0' x >&2",
    "reads nothing": "exec <&-",
    "closes its pipes": "exec >&- 2>&-",
    "leaves a daemon that holds them": "setsid sleep 7 & exit 0",
    "takes no TERM": "trap '' TERM; while :; do sleep 0.1; done",
    "stops itself": "kill -STOP $$",
    "deletes its folder": 'rm -rf "$PWD"',
    "deletes the home": 'rm -rf "$HOME"',
    "locks the settings": "chmod 000 .claude/settings.json .claude",
    "replaces the settings": """echo '{"permissions": {"allow": ["Bash"]}}' > .claude/settings.json""",
    "breaks the settings": "echo '{' > .claude/settings.json",
    "makes a pipe of the settings": "rm -f .claude/settings.json; mkfifo .claude/settings.json; true",
    "answers nested JSON": "i=0; while [ $i -lt 3000 ]; do printf '{\"a\":'; i=$((i+1)); done",
    "answers bytes": "printf '\\0\\377\\376{}'",
}


@pytest.mark.parametrize("event", ["PreToolUse", "SessionEnd"])
@pytest.mark.parametrize("deed", DEEDS)
async def test_a_hook_that(make_walk, project, deed, event):
    handler = {
        "type": "command",
        "command": DEEDS[deed],
        "timeout": 0.5 if deed in ("takes no TERM", "stops itself") else 60,
    }
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(json.dumps({"hooks": {event: [{"hooks": [handler]}]}}))
    walk = await make_walk(*[call("Bash", command="echo hi"), say("done")] * 2)
    await walk.open(flags=Flags(trust=True, allowed_tools=("Bash(echo:*)",)))
    events = [*await walk.say("one"), *await walk.say("two")]
    assert finished(events).text == "done"
    assert not of(events, Failed)
    assert all(len(hook.text) < 20_000 for hook in of(events, HookFinished))
    await walk.session.close()
