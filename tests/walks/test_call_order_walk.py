"""What follows from calls that run side by side stands in call order, whichever ended first."""

import json

from agent.api import Flags
from agent.protocol.events import ToolFinished
from agent.rehearsal.script import calls, say, summary, tool

LINE = "value = 1  # a line of some length, so that a compaction has something to gain\n"
HOOK = """#!/bin/sh
# The first file's call waits until all the others have ended.
case "$(cat)" in *0.py*) while [ ! -e ended ]; do sleep 0.02; done; name=first;; *) name=other;; esac
echo '{"hookSpecificOutput": {"hookEventName": "EVENT", "additionalContext": "about the '$name' file"}}'
"""


async def read_with_the_first_one_last(make_walk, project, event, files):
    """A walk in which one turn has read `files` files, and the first call ended last because a hook held it up."""
    for number in range(files):
        (project / f"{number}.py").write_text(f"# FILE-{number}\n" + LINE * 40, encoding="utf-8")
    script = project / "hook.sh"
    script.write_text(HOOK.replace("EVENT", event), encoding="utf-8")
    script.chmod(0o755)
    folder = project / ".claude"
    folder.mkdir(exist_ok=True)
    entries = {event: [{"matcher": "Read", "hooks": [{"type": "command", "command": str(script)}]}]}
    (folder / "settings.json").write_text(json.dumps({"hooks": entries}), encoding="utf-8")
    reads = [tool("Read", {"file_path": str(project / f"{number}.py")}) for number in range(files)]
    walk = await make_walk(calls(reads), say("read"), summary("S"), say("on"))
    await walk.open(flags=Flags(trust=True))
    ended = []
    async for told in walk.session.prompt("look"):
        if isinstance(told, ToolFinished):
            ended.append(told.title)
            if len(ended) == files - 1:
                (project / "ended").touch()
    assert ended[-1] == "Read 0.py"
    return walk


async def test_what_hooks_say_stands_in_call_order(make_walk, project) -> None:
    walk = await read_with_the_first_one_last(make_walk, project, "PostToolUse", 2)
    sent = walk.texts()[-1]
    assert sent.index("about the first file") < sent.index("about the other file")


async def test_a_compaction_gives_back_the_files_that_were_called_for_last(make_walk, project) -> None:
    walk = await read_with_the_first_one_last(make_walk, project, "PreToolUse", 6)
    await walk.say("/compact")
    await walk.say("go on")
    sent = walk.texts()[-1]
    assert [number for number in range(6) if f"# FILE-{number}" in sent] == [1, 2, 3, 4, 5]
