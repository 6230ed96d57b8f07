"""A hook that deletes or cuts the transcript of the running session: no words are lost, no command fails for it, and the person is told."""

from pathlib import Path

import pytest

from agent.api import Flags
from agent.protocol.events import CompactFinished, Failed, HookFinished, Notice
from agent.rehearsal.script import fail, say, summary
from tests.walks.conftest import finished, of
from tests.walks.test_hooks_walk import hooks

RECORD = '"$HOME"/.ccagent/projects/*/*.jsonl'
DEEDS = {
    "deleted": f"rm -f {RECORD}",
    "deleted with its folder": 'rm -rf "$HOME"/.ccagent/projects',
    "emptied": f"for f in {RECORD}; do : > $f; done",
    "cut": f"for f in {RECORD}; do head -c 300 $f > x; cat x > $f; done",
    "replaced": f"for f in {RECORD}; do sed -n 1p $f > x; mv x $f; done",
    "left open": f"for f in {RECORD}; do printf junk >> $f; done",
}


@pytest.mark.parametrize("event", ["PreCompact", "PostCompact", "Stop"])
@pytest.mark.parametrize("deed", DEEDS)
async def test_the_conversation_goes_on_and_is_found_again(make_walk, project, event, deed):
    hooks(project, **{event: f"{DEEDS[deed]} 2>/dev/null; true"})
    walk = await make_walk(say("one"), summary("S-1"), say("two"), say("three"))
    await walk.open(flags=Flags(trust=True))
    events = await walk.say("first")
    events += await walk.say("/compact")
    events += await walk.say("second WORD-9")
    assert not of(events, Failed)
    assert len(of(events, CompactFinished)) == 1
    told = [notice.text for notice in of(events, Notice) if "this session" in notice.text]
    assert bool(told) == (deed != "left open")
    name = walk.session.id
    hooks(project)
    await walk.open(flags=Flags(trust=True), resume=name)
    assert finished(await walk.say("third")).text == "three"
    request = walk.texts()[-1]
    assert [word in request for word in ("S-1", "WORD-9", "two", "third")] == [True] * 4


async def test_a_hook_that_nobody_waits_for_is_found_out_too(make_walk, project):
    go = project / "go"
    hooks(project, StopFailure=f"while [ ! -e {go} ]; do sleep 0.02; done; {DEEDS['deleted']}")
    walk = await make_walk(fail(401))
    session = await walk.open(flags=Flags(trust=True))
    assert of(await walk.say("first WORD-1"), Failed)
    go.touch()
    told = []
    async for event in session.events():
        told.append(event)
        if isinstance(event, HookFinished) and event.event == "StopFailure":
            break
    assert [notice for notice in of(told, Notice) if "was deleted while it ran" in notice.text]
    assert "WORD-1" in walk.transcript_text()


async def test_a_record_that_goes_away_before_the_first_prompt_is_written_again(make_walk):
    walk = await make_walk(say("one"), say("two"))
    await walk.say("first FACT-1")
    cost = walk.spent()
    await walk.open(continue_=True)
    path = Path(walk.session.status().transcript)
    path.unlink()
    assert finished(await walk.say("second")).text == "two"
    assert "FACT-1" in walk.texts()[-1] and "FACT-1" in path.read_text()
    assert walk.spent() > cost
