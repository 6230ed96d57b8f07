"""What follows from calls that run side by side stands in call order, whichever ended first."""

import json

from agent.api import Flags
from agent.protocol.events import ToolFinished, ToolResultsRecorded
from agent.rehearsal.script import calls, say, summary, tool

LINE = "value = 1  # a line of some length, so that a compaction has something to gain\n"
HOOK = """#!/bin/sh
# The first file's call waits until all the others have ended.
case "$(cat)" in *0.py*) while [ ! -e ended ]; do sleep 0.02; done; name=first;; *) name=other;; esac
echo '{"hookSpecificOutput": {"hookEventName": "EVENT", "additionalContext": "about the '$name' file"}}'
"""


async def read_with_the_first_one_last(make_walk, project, event, names):
    """A walk in which one turn has read the files `names`, and the first call ended last because a hook held it up."""
    for number, name in enumerate(names):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f"# FILE-{number}\n" + LINE * 40, encoding="utf-8")
    script = project / "hook.sh"
    script.write_text(HOOK.replace("EVENT", event), encoding="utf-8")
    script.chmod(0o755)
    folder = project / ".claude"
    folder.mkdir(exist_ok=True)
    entries = {event: [{"matcher": "Read", "hooks": [{"type": "command", "command": str(script)}]}]}
    (folder / "settings.json").write_text(json.dumps({"hooks": entries}), encoding="utf-8")
    reads = [tool("Read", {"file_path": str(project / name)}) for name in names]
    walk = await make_walk(calls(reads), say("read"), summary("S"), say("on"))
    await walk.open(flags=Flags(trust=True))
    ended = []
    async for told in walk.session.prompt("look"):
        if isinstance(told, ToolFinished):
            ended.append(told.title)
            if len(ended) == len(names) - 1:
                (project / "ended").touch()
    assert ended[-1] == f"Read {names[0]}"
    return walk


async def test_what_hooks_say_stands_in_call_order(make_walk, project) -> None:
    walk = await read_with_the_first_one_last(make_walk, project, "PostToolUse", ["0.py", "1.py"])
    sent = walk.texts()[-1]
    assert sent.index("about the first file") < sent.index("about the other file")


async def test_a_compaction_gives_back_the_files_that_were_called_for_last(make_walk, project) -> None:
    walk = await read_with_the_first_one_last(make_walk, project, "PreToolUse", [f"{number}.py" for number in range(6)])
    await walk.compact()
    await walk.say("go on")
    sent = walk.texts()[-1]
    assert [number for number in range(6) if f"# FILE-{number}" in sent] == [1, 2, 3, 4, 5]


async def test_instructions_that_come_with_files_stand_in_call_order(make_walk, project) -> None:
    for folder, text in (("pkg", "BROAD"), ("pkg/deep", "NARROW")):
        (project / folder).mkdir()
        (project / folder / "CLAUDE.md").write_text(text, encoding="utf-8")
    walk = await read_with_the_first_one_last(make_walk, project, "PreToolUse", ["pkg/deep/0.py", "pkg/1.py"])
    sent = walk.texts()[-1]
    assert sent.count("BROAD") == sent.count("NARROW") == 1
    assert sent.index("BROAD") < sent.index("NARROW")


async def test_what_is_known_of_a_file_is_what_its_last_call_has_seen(make_walk, project) -> None:
    file = str(project / "hello.py")
    whole, part = tool("Read", {"file_path": file}), tool("Read", {"file_path": file, "limit": 1})
    walk = await make_walk(calls([whole, part] * 4), calls([part, whole] * 4), say("read"))
    session = await walk.open()
    known = []
    async for event in session.prompt("look"):
        if isinstance(event, ToolResultsRecorded):
            known.append(session._state.conversation.read_state.get(project / "hello.py").partial)
    assert known == [True, False]
