"""A prompt that alone is more than the model takes leaves the conversation again, so that the next one can be sent."""

from agent.protocol.events import Failed, HistoryChanged
from agent.rehearsal.script import say, summary, too_long
from tests.walks.conftest import finished, of

PASTE = "pasted words of a log " * 8_000


async def test_the_next_prompt_goes_on_as_if_it_had_not_been_sent(make_walk):
    walk = await make_walk(say("one"), summary("S").when(compaction=True, repeat=0), say("two").times(2), window=20_000)
    await walk.say("first FACT-1")
    events = await walk.say(PASTE)
    assert finished(events).terminal_reason == "prompt_too_long"
    assert of(events, Failed)[0].failure.safe == "The conversation is as it was before this prompt."
    assert [changed.prompt for changed in of(events, HistoryChanged)] == [PASTE]  # for editing
    assert PASTE in walk.transcript_text()
    for prompt in ("second", "third"):
        assert finished(await walk.say(prompt)).text == "two"
    assert "FACT-1" in walk.texts()[-1]
    assert PASTE not in walk.texts()[-1]


async def test_a_conversation_that_began_with_it_begins_anew(make_walk, project):
    (project / "CLAUDE.md").write_text("RULE-1", encoding="utf-8")
    walk = await make_walk(say("two"), window=20_000)
    await walk.say(PASTE)
    await walk.open(resume=walk.session.status().session_id)
    assert finished(await walk.say("second")).text == "two"
    assert walk.texts()[-1].count("RULE-1") == 1


async def test_a_short_prompt_stays_when_what_stands_before_it_is_too_long(make_walk):
    walk = await make_walk(say("one"), too_long(used=21_000, limit=20_000), say("two"), window=20_000)
    await walk.open(env={"DISABLE_COMPACT": "1"})
    await walk.say("first")
    events = await walk.say("second FACT-2")
    assert finished(events).terminal_reason == "prompt_too_long"
    assert of(events, HistoryChanged) == []
    await walk.say("third")
    assert "FACT-2" in walk.texts()[-1]
