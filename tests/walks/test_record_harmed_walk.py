"""A hook that deletes or cuts the transcript of the running session: no words are lost, no command fails for it, and the person is told."""

from pathlib import Path

import pytest

from agent.api import Flags
from agent.protocol.events import CompactFinished, Failed, Notice
from agent.rehearsal.script import say, summary
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
