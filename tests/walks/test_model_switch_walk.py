"""/model: a smaller window compacts with the old model first, once, or the switch is refused and nothing changes."""

from agent.protocol.events import CompactFinished, MeterChanged, ModelChanged
from agent.rehearsal.script import fail, say, summary
from tests.walks.conftest import finished, of

BIG, SMALL = "claude-sonnet-5-5", "claude-haiku-4-5"  # 1,000,000 and 200,000 tokens


def used(tokens: int) -> dict[str, int]:
    """A usage that puts the meter at `tokens`."""
    return {"input_tokens": tokens - 10, "output_tokens": 10}


async def test_a_history_that_would_not_fit_is_compacted_by_the_old_model(make_walk):
    walk = await make_walk(say("one", usage=used(400_000)), summary("S-1"), say("two"))
    await walk.say("first FACT-1")
    events = await walk.say(f"/model {SMALL}")
    assert not finished(events).is_error, finished(events)
    assert len(of(events, CompactFinished)) == 1
    assert of(events, ModelChanged)[-1].model == SMALL
    reading = of(events, MeterChanged)[-1].reading
    assert reading.window == 200_000
    assert reading.used < 20_000
    events = await walk.say("second")
    assert finished(events).text == "two"
    assert [body["model"] for body in walk.bodies()] == [BIG, BIG, SMALL]
    assert "S-1" in walk.texts()[-1]


async def test_a_history_that_fits_goes_along_as_it_is(make_walk):
    walk = await make_walk(say("one", usage=used(90_000)), say("two"))
    await walk.say("first")
    events = await walk.say(f"/model {SMALL}")
    assert of(events, CompactFinished) == []
    assert finished(await walk.say("second")).text == "two"
    assert "first" in walk.texts()[-1]


async def test_to_a_larger_window_nothing_is_compacted(make_walk):
    walk = await make_walk(say("one", usage=used(170_000)), say("two"))
    await walk.say(f"/model {SMALL}")
    await walk.say("first")
    events = await walk.say(f"/model {BIG}")
    assert of(events, CompactFinished) == []
    assert finished(await walk.say("second")).text == "two"


async def test_when_the_compaction_fails_the_old_model_stays(make_walk):
    walk = await make_walk(say("one", usage=used(400_000)), fail(400).times(0))
    await walk.say("first")
    before = walk.transcript_text()
    events = await walk.say(f"/model {SMALL}")
    assert of(events, ModelChanged) == []
    assert finished(events).is_error
    assert walk.session.status().model == BIG
    assert walk.transcript_text() == before


async def test_without_compaction_the_switch_is_refused_with_the_window_named(make_walk):
    walk = await make_walk(say("one", usage=used(400_000)), say("two"))
    await walk.open(env={"DISABLE_COMPACT": "1"})
    await walk.say("first")
    events = await walk.say(f"/model {SMALL}")
    assert "200,000 tokens" in finished(events).error
    assert walk.session.status().model == BIG
    assert walk.session.reading().window == 1_000_000
    assert finished(await walk.say("second")).text == "two"
