"""A long session leaves nothing behind: no open files, threads, tasks, children or objects that grow with each prompt."""

import asyncio
import gc
import os
import sys
import threading
from collections import Counter

import psutil
import pytest

from agent.api import Flags
from agent.rehearsal.script import call, say, summary
from tests.walks.conftest import finished
from tests.walks.test_hooks_walk import hooks

ROUNDS, PROMPTS = 4, 3
POOL = 32  # threads that asyncio keeps for work that blocks; how many it starts hangs on luck
RECORDED = ("agent.rehearsal.", "agent.transcript.chain.")  # the server's memory of requests, the record's index


def standing() -> dict[str, int]:
    """What is open or alive now."""
    return {
        "files": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
        "tasks": len(asyncio.all_tasks()),
        "children": len(psutil.Process().children(recursive=True)),
    }


def ours() -> Counter[str]:
    """Objects of the engine by type."""
    gc.collect()
    names = (f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.get_objects())
    return Counter(name for name in names if name.startswith("agent.") and not name.startswith(RECORDED))


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what is open")
async def test_rounds_of_prompts_calls_hooks_and_compactions_do_not_grow(make_walk, project):
    events = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "PreCompact", "PostCompact")
    hooks(project, **dict.fromkeys(events, "cat >/dev/null; echo"), SessionStart="sleep 60 & echo")
    replies = []
    for number in range(ROUNDS):
        for _ in range(PROMPTS):
            replies += [
                call("Bash", command="echo made > made"),
                call("Read", file_path=str(project / "hello.py")),
                call("Grep", pattern="greet"),
                call("Bash", command="exit 3"),
                say("done"),
            ]
        replies.append(summary(f"S-{number}"))
    walk = await make_walk(*replies)
    await walk.open(flags=Flags(trust=True, permission_mode="bypassPermissions"))
    seen, objects = [], []
    for _ in range(ROUNDS):
        for _ in range(PROMPTS):
            assert finished(await walk.say("go on")).text == "done"
        assert not finished(await walk.say("/compact")).is_error
        seen.append(standing())
        objects.append(ours())
    grown = {name: count - seen[1][name] for name, count in seen[-1].items()}
    assert grown.pop("threads") <= POOL
    assert max(grown.values()) < PROMPTS * (ROUNDS - 2)  # not one for each prompt
    assert objects[-1] - objects[1] == Counter()
