"""PreCompact, PostCompact and the other hooks in a whole session, from a settings file, as real processes."""

import json

from agent.api import Flags
from agent.protocol.events import CompactFailed, CompactFinished, Failed, HookFinished, ToolFinished
from agent.rehearsal.script import call, fail, say, summary
from tests.walks.conftest import finished, of

TRUSTED = Flags(trust=True)


def hooks(project, **commands):
    """Writes project settings with one command for each event."""
    folder = project / ".claude"
    folder.mkdir(exist_ok=True)
    entries = {
        event: [{"matcher": "", "hooks": [{"type": "command", "command": command}]}]
        for event, command in commands.items()
    }
    (folder / "settings.json").write_text(json.dumps({"hooks": entries}), encoding="utf-8")


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def test_compact_hooks_run_once_in_order_with_the_contract_fields(make_walk, project):
    log = project / "hooks.log"
    hooks(
        project,
        PreCompact=f"cat >> {log}; echo keep the port number",
        PostCompact=f"cat >> {log}",
        SessionStart=f"cat >> {log}",
    )
    walk = await make_walk(say("one"), summary("S-1"))
    await walk.open(flags=TRUSTED)
    await walk.say("first")
    await walk.compact("/compact keep names")
    told = lines(log)
    assert [entry["hook_event_name"] for entry in told] == ["SessionStart", "PreCompact", "SessionStart", "PostCompact"]
    assert [told[0]["source"], told[2]["source"]] == ["startup", "compact"]
    pre, post = told[1], told[3]
    assert (pre["trigger"], pre["custom_instructions"]) == ("manual", "keep names")
    assert (post["trigger"], post["compact_summary"]) == ("manual", "S-1")
    assert pre["session_id"] == walk.session.id
    assert pre["transcript_path"] == walk.session.status().transcript
    assert "keep names" in walk.texts()[1]
    assert "keep the port number" in walk.texts()[1]


async def test_nobody_waits_for_a_stop_failure_hook_and_its_end_is_told(make_walk, project):
    go, done = project / "go", project / "done"
    hooks(project, StopFailure=f"while [ ! -e {go} ]; do sleep 0.02; done; touch {done}")
    walk = await make_walk(fail(401), say("two"))
    session = await walk.open(flags=TRUSTED)
    events = await walk.say("first")
    assert of(events, Failed)
    assert not done.exists()
    go.touch()
    async for event in session.events():
        if isinstance(event, HookFinished) and event.event == "StopFailure":
            break
    assert (event.outcome, done.exists()) == ("ok", True)
    assert finished(await walk.say("second")).text == "two"


async def test_a_veto_leaves_everything_and_runs_no_post_compact(make_walk, project):
    mark = project / "post.txt"
    hooks(project, PreCompact="echo not now >&2; exit 2", PostCompact=f"touch {mark}")
    walk = await make_walk(say("one"), say("two"))
    await walk.open(flags=TRUSTED)
    await walk.say("first")
    before = walk.transcript_text()
    events = await walk.say("/compact")
    assert of(events, CompactFailed)[0].kind == "vetoed"
    assert "hook: not now. The conversation is unchanged." in of(events, CompactFailed)[0].reason
    assert "not now" in finished(events).error
    assert walk.transcript_text() == before
    assert not mark.exists()
    assert finished(await walk.say("go on")).text == "two"


async def test_a_pre_tool_hook_blocks_and_tells_the_model_why(make_walk, project):
    hooks(project, PreToolUse="echo never touch that >&2; exit 2")
    walk = await make_walk(call("Read", file_path=str(project / "hello.py")), say("understood"))
    await walk.open(flags=TRUSTED)
    events = await walk.say("read it")
    assert "never touch that" in of(events, ToolFinished)[0].output.text
    assert "never touch that" in walk.texts()[1]


async def test_a_stop_hook_makes_the_model_go_on(make_walk, project):
    hooks(project, Stop=f"test -e {project}/done || {{ touch {project}/done; echo write tests too >&2; exit 2; }}")
    walk = await make_walk(say("finished"), say("tests written"))
    await walk.open(flags=TRUSTED)
    assert finished(await walk.say("do it")).text == "tests written"
    assert "write tests too" in walk.texts()[1]


async def test_hooks_of_an_untrusted_project_do_not_run(make_walk, project):
    mark = project / "ran.txt"
    hooks(project, SessionStart=f"touch {mark}", UserPromptSubmit=f"touch {mark}")
    walk = await make_walk(say("one"))
    await walk.open(interactive=False)
    await walk.say("first")
    assert not mark.exists()


async def test_a_hook_that_cannot_start_is_told_and_the_compaction_goes_on(make_walk, project):
    hooks(project, PreCompact="/no/such/program --flag")
    walk = await make_walk(say("one"), summary("S-1"))
    await walk.open(flags=TRUSTED)
    await walk.say("first")
    events = await walk.say("/compact")
    assert [event.outcome for event in of(events, HookFinished) if event.event == "PreCompact"] == ["failed"]
    assert len(of(events, CompactFinished)) == 1
