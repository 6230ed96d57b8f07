"""What a compaction tells, forgets and does not say twice, and what a failed one leaves alone."""

import json

from agent.api import Flags
from agent.protocol.events import CompactFailed, CompactFinished, HookFinished
from agent.rehearsal.script import call, fail, say, summary
from tests.support.patience import until
from tests.walks.conftest import of

SERVER_ERROR = fail(500, headers={"x-should-retry": "false"})


def with_memory(project, mark):
    """Memory for the project and for one folder of it, and a hook that notes why each file was loaded."""
    (project / "CLAUDE.md").write_text("RULE-A91: be kind\n", encoding="utf-8")
    (project / "pkg").mkdir()
    (project / "pkg" / "CLAUDE.md").write_text("NESTED-7: in pkg, say please\n", encoding="utf-8")
    (project / "pkg" / "a.py").write_text("a = 1\n", encoding="utf-8")
    command = f"python3 -c \"import json, sys; print(json.load(sys.stdin)['load_reason'])\" >> {mark}"
    hooks = {"InstructionsLoaded": [{"hooks": [{"type": "command", "command": command}]}]}
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    return str(project / "pkg" / "a.py")


def reasons(mark):
    """Why files were loaded, as hooks that nobody waits for have noted it so far."""
    return sorted(mark.read_text(encoding="utf-8").split()) if mark.exists() else []


async def test_memory_is_loaded_once_for_a_compaction_and_its_hook_is_told_once(make_walk, project, tmp_path):
    mark = tmp_path / "reasons.txt"
    file = with_memory(project, mark)
    long_answer = say("so many words " * 300)
    walk = await make_walk(
        call("Read", file_path=file), long_answer, summary("S"), call("Read", file_path=file), say("again")
    )
    await walk.open(flags=Flags(trust=True))
    await walk.say("look at a.py")
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    await walk.say("look again")
    after = walk.texts()[-1]
    assert after.count("RULE-A91") == 1
    assert after.count("NESTED-7") == 1  # with its file, which was read again
    await until(lambda: len(reasons(mark)) >= 4)
    await walk.session.close()
    assert reasons(mark) == ["compact", "nested_traversal", "nested_traversal", "session_start"]


async def test_a_compaction_that_fails_forgets_nothing_and_tells_no_hook(make_walk, project, tmp_path):
    mark = tmp_path / "reasons.txt"
    file = with_memory(project, mark)
    walk = await make_walk(
        call("Read", file_path=file), say("read"), SERVER_ERROR, call("Read", file_path=file), say("again")
    )
    await walk.open(flags=Flags(trust=True))
    await walk.say("look at a.py")
    assert len(of(await walk.say("/compact"), CompactFailed)) == 1
    events = await walk.say("look again")
    assert of(events, HookFinished) == []
    assert walk.texts()[-1].count("NESTED-7") == 1  # it is still there: it is not said again
    await until(lambda: len(reasons(mark)) >= 2)
    await walk.session.close()
    assert reasons(mark) == ["nested_traversal", "session_start"]
