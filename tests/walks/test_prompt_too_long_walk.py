"""A prompt that alone is more than the model takes leaves the conversation again, so that the next one can be sent."""

import re

from agent.api import Flags
from agent.loop.give_back import SAFE
from agent.protocol.events import CompactStarted, Failed, HistoryChanged, MeterChanged, PromptAccepted, ToolFinished
from agent.protocol.meter import Level
from agent.rehearsal.script import call, fail, say, summary, too_long
from tests.walks.conftest import finished, of
from tests.walks.test_hooks_walk import hooks

PASTE = "pasted words of a log " * 1_700  # fits by our count, which the API need not share
HUGE = "pasted words of a log " * 8_000
REFUSED = too_long(used=21_000, limit=20_000)


async def test_the_next_prompt_goes_on_as_if_it_had_not_been_sent(make_walk):
    script = (say("one"), REFUSED, summary("S").when(compaction=True, repeat=0), REFUSED, say("two").times(2))
    walk = await make_walk(*script, window=20_000)
    await walk.say("first FACT-1")
    events = await walk.say(PASTE)
    assert finished(events).terminal_reason == "prompt_too_long"
    failure = of(events, Failed)[0].failure
    assert (failure.safe, failure.do) == (SAFE, "Send less of it at once, or name a file that holds it.")
    assert [changed.prompt for changed in of(events, HistoryChanged)] == [PASTE]  # for editing
    assert PASTE in walk.transcript_text()
    for prompt in ("second", "third"):
        assert finished(await walk.say(prompt)).text == "two"
    assert "FACT-1" in walk.texts()[-1]
    assert PASTE not in walk.texts()[-1]


async def test_a_conversation_that_began_with_it_begins_anew(make_walk, project):
    (project / "CLAUDE.md").write_text("RULE-1", encoding="utf-8")
    walk = await make_walk(REFUSED, say("two"), window=20_000)
    await walk.say(PASTE)
    await walk.open(resume=walk.session.status().session_id)
    assert finished(await walk.say("second")).text == "two"
    assert walk.texts()[-1].count("RULE-1") == 1


async def test_what_came_with_it_only_once_comes_with_the_next_prompt(make_walk, project):
    hooks(project, SessionStart="echo HOOK-WORDS")
    (project / "pkg").mkdir()
    (project / "pkg" / "CLAUDE.md").write_text("NESTED-RULE", encoding="utf-8")
    (project / "pkg" / "notes.md").write_text("SOME-NOTES", encoding="utf-8")
    edit = call("Edit", file_path=str(project / "pkg" / "notes.md"), old_string="SOME", new_string="OTHER")
    walk = await make_walk(REFUSED, edit, say("two"), say("three"), window=20_000)
    await walk.open(flags=Flags(trust=True))
    assert of(await walk.say(f"@pkg/notes.md {PASTE}"), HistoryChanged)
    events = await walk.say("second")
    (done,) = of(events, ToolFinished)
    assert done.output.is_error and "read" in done.output.text.lower()  # the model does not know the file
    await walk.say("@pkg/notes.md")
    for words in ("HOOK-WORDS", "NESTED-RULE", "SOME-NOTES"):
        assert walk.texts()[-1].count(words) == 1


async def test_a_prompt_that_does_not_fit_even_with_nothing_before_it_is_held_and_costs_nothing(make_walk):
    walk = await make_walk(say("one"), say("two"), window=20_000)
    await walk.say("first")
    before = walk.transcript_text()
    events = await walk.say(HUGE)
    result = finished(events)
    assert result.terminal_reason == "blocking_limit"
    assert re.fullmatch(
        r"The prompt is too long: ~[\d,]+ tokens, and at most [\d,]+ fit. It was not sent. "
        r"Shorten it, or put it in a file that can be read in parts.",
        result.error,
    )
    assert of(events, PromptAccepted) == [] == of(events, CompactStarted)
    assert walk.transcript_text() == before
    assert finished(await walk.say("second")).text == "two"
    assert len(walk.bodies()) == 2


async def test_memory_that_is_too_long_is_named_and_not_the_prompt(make_walk, project):
    (project / "CLAUDE.md").write_text(HUGE, encoding="utf-8")
    walk = await make_walk(window=20_000)
    error = finished(await walk.say("hello")).error
    assert "shorten CLAUDE.md" in error
    assert "/clear to go on" not in error and "Send less" not in error


async def test_a_session_that_ends_in_a_prompt_too_long_has_the_way_out_that_the_line_names(make_walk):
    wide = await make_walk(fail(400, message="no"), window=100_000)
    await wide.say(HUGE)  # on record, unanswered, and nothing else: there is nothing to summarise
    await wide.session.close()
    walk = await make_walk(say("three"), window=20_000)
    await walk.open(continue_=True)
    error = finished(await walk.say("hello")).error
    assert "/context shrink N" in error and "/compact or /clear" not in error
    await walk.say("/context shrink 1")
    assert finished(await walk.say("hello again")).text == "three"


async def test_a_short_prompt_stays_when_what_stands_before_it_is_too_long(make_walk):
    walk = await make_walk(say("one"), too_long(used=21_000, limit=20_000), say("two"), window=20_000)
    await walk.open(env={"DISABLE_COMPACT": "1"})
    await walk.say("first")
    events = await walk.say("second FACT-2")
    assert finished(events).terminal_reason == "prompt_too_long"
    assert of(events, HistoryChanged) == []
    await walk.say("third")
    assert "FACT-2" in walk.texts()[-1]


async def test_no_summary_is_paid_for_when_next_to_nothing_stands_before_a_long_prompt(make_walk):
    walk = await make_walk(say("one"), say("two"), window=20_000)
    await walk.say("first")
    events = await walk.say("words of a log " * 2_700)
    assert Level.AUTO_COMPACT in {told.reading.level for told in of(events, MeterChanged)}
    assert of(events, CompactStarted) == []
    assert finished(events).text == "two"
