"""Compaction over real HTTP: by hand, by itself, in the middle of work, and when it fails."""

import msgspec
import pytest

from agent.protocol.events import CompactFailed, CompactFinished, CompactStarted, Failed, MeterChanged, Notice
from agent.protocol.meter import Level
from agent.protocol.results import Subtype
from agent.rehearsal.script import call, fail, reply, say, summary, thinking, too_long, tool
from tests.walks.conftest import finished, of


def used(tokens: int) -> dict[str, int]:
    """A usage that puts the meter at `tokens`."""
    return {
        "input_tokens": tokens - 10,
        "output_tokens": 10,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }


async def test_compact_by_hand_replaces_the_history(make_walk, project):
    file = str(project / "hello.py")
    walk = await make_walk(
        call("Read", file_path=file),
        say("It greets." + " So many words." * 200),
        summary("1. Primary Request and Intent: SUMMARY-1"),
        say("Again: it greets."),
    )
    await walk.say("what does hello.py do? FACT-7f3")
    events = await walk.say("/compact keep the API")
    assert finished(events).subtype is Subtype.SUCCESS, finished(events)
    assert len(of(events, CompactStarted)) == 1
    receipt = of(events, CompactFinished)[0].receipt
    assert receipt.trigger == "manual"
    assert "keep the API" in walk.texts()[2]
    await walk.say("once more")
    before, asked, after = walk.bodies()[1], walk.bodies()[2], walk.texts()[3]
    assert asked["system"] == before["system"]
    assert asked["tools"] == before["tools"]
    assert without_cache_marks(asked["messages"][: len(before["messages"])]) == without_cache_marks(before["messages"])
    assert "SUMMARY-1" in after
    assert "what does hello.py do? FACT-7f3" in after  # the person's own words, although the summary left them out
    assert "def greet" in after  # the recently read file
    assert "once more" in after
    assert "So many words. So many words." not in after.split("once more")[0].rsplit("How your answers ended", 1)[0]


async def test_not_enough_messages(make_walk):
    walk = await make_walk()
    events = await walk.say("/compact")
    assert finished(events).error.startswith("Not enough messages to compact.")
    assert walk.api.requests == []


async def test_the_meter_falls_at_once_and_the_compaction_call_does_not_count(make_walk):
    walk = await make_walk(say("x" * 8000, usage=used(90_500)), summary("short"))
    events = await walk.say("long story")
    assert of(events, MeterChanged)[-1].reading.used == 90_500
    events = await walk.say("/compact")
    reading = of(events, MeterChanged)[-1].reading
    assert reading.estimated
    assert 0 < reading.used < 20_000


async def test_auto_compact_fires_once_at_the_threshold(make_walk):
    walk = await make_walk(say("one", usage=used(14_000)), summary("S-1"), say("two"), say("three"), window=20_000)
    await walk.say("first FACT-1")
    events = await walk.say("second")
    assert [event.receipt.trigger for event in of(events, CompactFinished)] == ["auto"]
    assert finished(events).text == "two"
    assert [record.trigger for record in finished(events).compactions] == ["auto"]
    events = await walk.say("third")
    assert of(events, CompactFinished) == []
    assert "first FACT-1" in walk.texts()[-1]


async def test_compaction_in_a_tool_loop_goes_on_with_the_request(make_walk, project):
    file = str(project / "hello.py")
    walk = await make_walk(
        say("ready"),
        reply(thinking("hm"), tool("Read", {"file_path": file}), usage=used(14_000)),
        summary("S-1 in the middle"),
        say("B-77 is done"),
        window=20_000,
    )
    await walk.say("hello")
    events = await walk.say("do B-77 now")
    assert finished(events).text == "B-77 is done", finished(events)
    after = walk.bodies()[3]["messages"]
    assert after[0]["role"] == "user"
    assert "do B-77 now" in walk.texts()[3]


@pytest.mark.parametrize(
    "bad", [fail(500), reply(tool("Bash", {"command": "touch pwned.txt"})), reply(thinking("only")), say(" \n ")]
)
async def test_a_failed_compaction_leaves_the_history_and_runs_nothing(make_walk, project, bad):
    walk = await make_walk(say("one FACT-7f3"), *[bad] * 4, say("still here"))
    await walk.say("remember FACT-7f3")
    before = walk.transcript_text()
    events = await walk.say("/compact")
    assert finished(events).is_error
    assert len(of(events, CompactFailed)) == 1
    assert walk.transcript_text() == before
    assert not (project / "pwned.txt").exists()


async def test_a_prompt_is_held_at_the_blocking_limit_and_slash_commands_still_work(make_walk):
    walk = await make_walk(say("one", usage=used(16_000)), summary("S"), say("two"), window=20_000)
    await walk.open(env={"DISABLE_AUTO_COMPACT": "1"})
    await walk.say("first")
    before = walk.transcript_text()
    events = await walk.say("second")
    assert of(events, Failed)[0].failure.what == (
        "Context limit reached · /compact or /clear to continue · auto-compact is off · /autocompact on"
    )
    assert walk.transcript_text() == before
    await walk.compact()
    assert finished(await walk.say("second")).text == "two"


async def test_too_long_in_mid_run_compacts_and_goes_on(make_walk):
    walk = await make_walk(say("one"), too_long(21_500, 20_000), summary("S-react"), say("two"))
    await walk.say("first")
    events = await walk.say("second FACT-2")
    assert finished(events).text == "two", finished(events)
    assert "S-react" in walk.texts()[-1]
    assert "second FACT-2" in walk.texts()[-1]


async def test_a_compaction_that_is_too_long_itself_is_shortened(make_walk):
    walk = await make_walk(
        *[say(f"answer {n} " + "word " * 300) for n in range(6)],
        too_long(21_500, 20_000),
        summary("S-short"),
        say("after"),
    )
    for n in range(6):
        await walk.say(f"question {n}")
    events = await walk.say("/compact")
    assert not finished(events).is_error, finished(events)
    first, second = walk.bodies()[6], walk.bodies()[7]
    assert len(msgspec.json.encode(second["messages"])) < len(msgspec.json.encode(first["messages"]))
    assert finished(await walk.say("hi")).text == "after"


async def test_undo_brings_the_very_bytes_back(make_walk):
    walk = await make_walk(say("one"), summary("S-1"), say("two"))
    await walk.say("first")
    await walk.compact()
    assert not finished(await walk.say("/compact undo")).is_error
    await walk.say("second")
    first, last = walk.bodies()[0]["messages"], walk.bodies()[2]["messages"]
    assert without_cache_marks(last[: len(first)]) == without_cache_marks(first)
    assert "S-1" not in walk.texts()[2]


async def test_undo_goes_back_through_several_compactions_after_a_resume_and_redo_forward_again(make_walk):
    turns = [say(f"answer {n} " + "word " * 300) for n in range(3)]
    walk = await make_walk(turns[0], summary("S-1"), turns[1], summary("S-2"), turns[2], say("back"), say("forth"))
    session = await walk.open()
    for line in ("first", "/compact", "second", "/compact", "third"):
        await walk.say(line)
    first, third = walk.bodies()[0]["messages"], walk.bodies()[4]["messages"]
    await walk.open(resume=session.id)
    for _ in range(2):
        assert not finished(await walk.say("/compact undo")).is_error
    assert finished(await walk.say("/compact undo")).error.startswith("There is no compaction to undo.")
    await walk.say("and on")
    assert without_cache_marks(walk.bodies()[5]["messages"][: len(first)]) == without_cache_marks(first)
    assert "S-1" not in walk.texts()[5]
    await walk.open(resume=session.id)
    for _ in range(2):
        assert not finished(await walk.say("/compact redo")).is_error
    await walk.say("again")
    assert without_cache_marks(walk.bodies()[6]["messages"][: len(third)]) == without_cache_marks(third)


@pytest.mark.parametrize("size", [1, 40])
async def test_one_exchange_is_enough_however_long_its_summary(make_walk, size):
    walk = await make_walk(say("one"), summary("All of it was said in one short word. " * size), say("two"))
    await walk.say("first FACT-1")
    events = await walk.say("/compact")
    assert not finished(events).is_error
    assert len(of(events, CompactFinished)) == 1
    await walk.say("second")
    assert "said in one short word" in walk.texts()[-1]


async def test_what_the_summary_quotes_is_not_said_again_and_the_context_shrinks(make_walk, project):
    request = "please add a greeting for the evening to hello.py"
    (project / "long.log").write_text("a line of a log that goes on and on\n" * 60, encoding="utf-8")
    walk = await make_walk(
        call("Read", file_path=str(project / "long.log")),
        say("read"),
        say("added"),
        summary(f"6. All user messages:\n- look at the long log of yesterday\n- {request}"),
        say("ok"),
    )
    await walk.say("look at the long log of yesterday")
    await walk.say(request)
    receipt = of(await walk.say("/compact"), CompactFinished)[0].receipt
    assert receipt.post_tokens < receipt.pre_tokens
    assert receipt.files_restored == ()  # with the file it would have grown
    await walk.say("go on")
    assert walk.texts()[-1].count(request) == 1
    assert "word for word" not in walk.texts()[-1]


async def test_undo_and_redo_say_what_is_in_force_and_what_stands_aside(make_walk):
    walk = await make_walk(say("one" + " word" * 2_000), summary("S"), say("two"), say("three"))
    await walk.say("first")
    await walk.compact()
    await walk.say("second")
    told = [event.text for event in of(await walk.say("/compact undo"), Notice) if event.level == "output"]
    assert told == [
        "The compaction is undone: the whole conversation is active again."
        " 1 answer given since stands aside; /compact redo returns to it."
    ]
    told = [event.text for event in of(await walk.say("/compact redo"), Notice) if event.level == "output"]
    assert told == ["The compaction is in force again."]


async def test_an_undo_says_when_an_earlier_compaction_still_stands(make_walk):
    walk = await make_walk(say("one" + " word" * 2_000), summary("S-1"), say("two" + " word" * 2_000), summary("S-2"))
    for line in ("first", "/compact", "second", "/compact"):
        await walk.say(line)
    said = [finished(await walk.say("/compact undo")).text for _ in range(2)]
    assert "an earlier one still stands" in said[0]
    assert "the whole conversation is active again" in said[1]


async def test_the_level_words_follow_the_ladder(make_walk):
    walk = await make_walk(say("one", usage=used(11_000)), window=20_000)
    events = await walk.say("first")
    reading = of(events, MeterChanged)[-1].reading
    assert (reading.tiers.warning, reading.tiers.error, reading.tiers.auto_compact, reading.tiers.blocking) == (
        10_720,
        12_328,
        13_400,
        15_400,
    )
    assert reading.level is Level.WARNING


def without_cache_marks(messages):
    """Messages as the API reads them: cache marks are no content."""
    return [
        {
            **message,
            "content": [
                {key: value for key, value in part.items() if key != "cache_control"} for part in message["content"]
            ],
        }
        for message in messages
    ]
