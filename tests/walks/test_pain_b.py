"""Compactions that looped, came too early, too late or twice (users' reports by number): none of it here.

Windows are translated to our ladder: at 20,000 tokens auto-compact is at 13,400 and blocking at 15,400.
"""

import json

import msgspec
import pytest

from agent.api import Flags
from agent.protocol.events import CompactFailed, CompactFinished, CompactStarted, Failed, MeterChanged, Notice
from agent.protocol.meter import Level
from agent.rehearsal.models import MODELS
from agent.rehearsal.script import call, calls, reply, say, summary, text, too_long, tool
from tests.walks.conftest import finished, of, used

AUTO_OFF = {"DISABLE_AUTO_COMPACT": "1"}


def reading(events):
    """Where the meter stood in the end."""
    return of(events, MeterChanged)[-1].reading


def looping(project, tokens: int, steps: int = 30):
    """A tool loop whose every answer reports `tokens`, whatever was sent."""
    (project / "long.log").write_text("a line of a log that goes on and on\n" * 200, encoding="utf-8")
    step = reply(tool("Read", {"file_path": str(project / "long.log")}), usage=used(tokens))
    return [step.when(compaction=False, repeat=steps), summary("S").when(compaction=True, repeat=0)]


# ---- 13: refilled straight after each compaction


async def test_13_three_quick_refills_stop_and_name_what_fills(make_walk, project):
    walk = await make_walk(*looping(project, 17_000), window=20_000)
    events = await walk.say("go on and on")
    assert len(walk.compactions()) == 3
    assert finished(events).terminal_reason == "rapid_refill_breaker"
    told = of(events, Failed)[0].failure
    assert "thrashing" in told.what
    assert "System tools" in told.what
    assert "result of Read" in told.what
    assert f"restored file {project / 'long.log'}" in told.what  # nobody typed it: it is no user message
    assert "User messages" not in told.what
    assert "/clear" in told.do


async def test_13_a_manual_compaction_and_clear_begin_anew(make_walk, project):
    walk = await make_walk(*looping(project, 14_000, 4), say("fresh", usage=used(3_000)), window=20_000)
    await walk.say("go on and on")
    assert len(walk.compactions()) == 3
    await walk.say("/clear")
    events = await walk.say("hello")
    assert finished(events).text == "fresh"
    assert len(walk.compactions()) == 3


async def test_13_reactive_compactions_count_as_well(make_walk, project):
    step = reply(tool("Read", {"file_path": str(project / "hello.py")}))
    refusals = [r for _ in range(10) for r in (step, too_long(21_500, 20_000))]
    walk = await make_walk(*refusals, summary("S").when(compaction=True, repeat=0))
    events = await walk.say("go on and on")
    assert finished(events).is_error
    assert len(walk.compactions()) == 3


# ---- 14: a compaction that does not shrink


async def test_14_what_does_not_shrink_is_refused_and_not_tried_again_in_this_turn(make_walk, project):
    read = reply(tool("Read", {"file_path": str(project / "hello.py")}), usage=used(14_000))
    walk = await make_walk(
        read.when(compaction=False, repeat=3),
        summary("word " * 3_500).when(compaction=True, repeat=0),
        say("done"),
        window=20_000,
    )
    events = await walk.say("work FACT-14")
    assert finished(events).text == "done"
    assert len(walk.compactions()) == 2  # one, and one more with the reason
    assert "did not shrink" in of(events, CompactFailed)[0].reason
    assert "FACT-14" in walk.texts()[-1]
    assert walk.texts()[-1].count('"tool_result"') == 3


async def test_14_at_the_limit_extracts_stand_in(make_walk):
    walk = await make_walk(
        say("one", usage=used(16_000)), *[summary("word " * 3_500)] * 2, say("two"), say("three"), window=20_000
    )
    await walk.say("first FACT-14")
    events = await walk.say("second")
    assert of(events, CompactFinished)[0].receipt.extractive
    assert finished(events).text == "two"
    assert "FACT-14" in walk.texts()[-1]
    assert of(await walk.say("third"), CompactStarted) == []


# ---- 16: twice for one crossing


async def test_16_the_prompt_after_a_compaction_is_one_request(make_walk):
    walk = await make_walk(say("one", usage=used(17_000)), summary("S"), say("two"), say("three"), window=20_000)
    await walk.say("first")
    await walk.say("second")
    count = len(walk.bodies())
    await walk.say("third")
    assert len(walk.bodies()) == count + 1


async def test_16_restored_files_are_shed_rather_than_compacted_again(make_walk, project):
    """The threshold is 4,400: with all of three files the next prompts would cross it again, and the meter would warn at once."""
    (project / "CLAUDE.md").write_text("a few words, " * 160, encoding="utf-8")
    for name in "abc":
        lines = "".join(f"{name}_{n} = 'some text that fills the window'\n" for n in range(16))
        (project / f"{name}.py").write_text(lines, encoding="utf-8")
    walk = await make_walk(
        calls([call("Read", file_path=str(project / f"{name}.py")) for name in "abc"]),
        say("a few words, " * 570),
        summary("S"),
        *[say("on")] * 4,
        window=20_000,
    )
    await walk.open(env={"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "22"})
    await walk.say("read them")
    events = await walk.say("and now")
    receipt = of(events, CompactFinished)[0].receipt
    assert 0 < len(receipt.files_restored) < 3
    assert receipt.post_tokens < 0.8 * 4_400
    for number in range(3):
        assert of(await walk.say(f"prompt {number}"), CompactStarted) == []


# ---- 17: a smaller window


async def test_17_a_conversation_too_large_for_a_small_window_is_compacted_once(make_walk, project):
    line = "a line of a log that goes on and on\n"
    (project / "long.log").write_text(line * 900, encoding="utf-8")
    wide = await make_walk(call("Read", file_path=str(project / "long.log")), say("seen"), window=100_000)
    await wide.say("look FACT-17")
    assert wide.session.reading().used > 9_000
    await wide.session.close()
    small = await make_walk(summary("S").when(compaction=True, repeat=0), say("fits").times(3), window=9_000)
    await small.open(resume=wide.session.id)
    events = await small.say("go on")
    assert finished(events).text == "fits", finished(events)
    assert "FACT-17" in small.texts()[-1]
    await small.say("and on")
    assert len(small.compactions()) <= 2


async def test_17_a_window_that_holds_nothing_is_said_and_not_compacted_for_ever(make_walk):
    walk = await make_walk(say("one").times(5), summary("S").when(compaction=True, repeat=0))
    await walk.open(env={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "4000"})
    for number in range(5):
        assert finished(await walk.say(f"prompt {number}")).text == "one"
    assert walk.compactions() == []


async def test_17_a_switch_to_a_small_window_compacts_once_with_the_old_model_and_goes_on(make_walk, project):
    (project / "long.log").write_text("a line of a log that goes on and on\n" * 1_500, encoding="utf-8")
    walk = await make_walk(
        call("Read", file_path=str(project / "long.log")),
        say("seen", usage=used(15_000)),
        summary("S").when(compaction=True, repeat=0),
        say("fits").times(3),
    )
    walk.api.api._models["my-small"] = msgspec.structs.replace(MODELS[0], id="my-small", window=8_000, bound=False)
    await walk.say("look FACT-17")
    events = await walk.say("/model my-small")
    assert walk.session.status().model == "my-small", finished(events)
    for number in range(3):
        assert finished(await walk.say(f"go on {number}")).text == "fits"
    assert len(walk.compactions()) <= 2
    assert walk.compactions()[0]["model"] == "claude-sonnet-5-5"
    assert "FACT-17" in walk.texts()[-1]


# ---- 18: an answer as large as the window


async def test_18_an_answer_as_large_as_the_window_leaves_room_for_the_prompt(make_walk):
    walk = await make_walk(say("hi", usage=used(2_400)), say("again"), window=20_000, max_output=20_000)
    for prompt in ("hi", "hi again"):
        events = await walk.say(prompt)
        assert not finished(events).is_error
        assert of(events, CompactStarted) == []
    for request in walk.api.requests:
        assert request.body["max_tokens"] < 20_000 - 1_500
    assert walk.compactions() == []


# ---- 19: fires too early


async def test_19_a_large_window_is_measured_as_a_whole(make_walk, project):
    mark = project / "hook.txt"
    hook = {"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": f"echo x >> {mark}"}]}]}}
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(json.dumps(hook), encoding="utf-8")
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 399_995,
        "cache_creation_input_tokens": 0,
        "output_tokens": 10,
    }
    more = usage | {"cache_read_input_tokens": 849_995}
    walk = await make_walk(say("one", usage=usage), say("two", usage=more), summary("S"), say("three"), say("four"))
    await walk.open(flags=Flags(trust=True), env={"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "80"})
    events = await walk.say("first")
    assert 100 * reading(events).used // reading(events).window == 40
    assert of(await walk.say("second"), CompactStarted) == []
    assert not mark.exists()
    assert len(of(await walk.say("third"), CompactFinished)) == 1
    await walk.say("fourth")
    assert len(walk.compactions()) == 1
    assert mark.read_text(encoding="utf-8") == "x\n"


# ---- 20: every way in


@pytest.mark.parametrize("entry", ["new", "continue", "resume", "headless"])
async def test_20_every_way_in_compacts(make_walk, entry):
    walk = await make_walk(
        say("one"), say("two", usage=used(14_000)), summary("S"), say("three", usage=used(5_000)), window=20_000
    )
    session = await walk.open(interactive=entry != "headless")
    await walk.say("first")
    await walk.say("second")
    if entry == "continue":
        await walk.open(continue_=True)
    elif entry == "resume":
        await walk.open(resume=session.id)
    elif entry == "headless":
        await walk.open(continue_=True, interactive=False)
    events = await walk.say("third")
    assert finished(events).text == "three"
    assert [record.trigger for record in finished(events).compactions] == ["auto"]
    assert len(walk.compactions()) == 1


# ---- 21: one threshold for meter and trigger


async def test_21_the_person_s_threshold_moves_meter_and_trigger_and_stays(make_walk):
    walk = await make_walk(
        say("one", usage=used(9_000)), say("two", usage=used(11_000)), summary("S"), say("three", usage=used(5_000))
    )
    assert "auto-compact at 10,050 of 15,000" in finished(await walk.say("/autocompact 15000")).text
    assert reading(await walk.say("first")).level is not Level.AUTO_COMPACT
    assert reading(await walk.say("second")).level is Level.AUTO_COMPACT
    assert "auto-compact at 10,050" in finished(await walk.say("/context")).text
    await walk.open(continue_=True)
    assert "auto-compact at 10,050" in finished(await walk.say("/autocompact")).text
    assert len(of(await walk.say("third"), CompactFinished)) == 1
    assert len(walk.compactions()) == 1


# ---- 23: off


async def test_23_switched_off_it_warns_and_reacts_only_to_the_api(make_walk):
    walk = await make_walk(
        say("one", usage=used(14_500)),
        too_long(20_400, 20_000),
        summary("S-1"),
        say("two", usage=used(14_500)),
        summary("S-2"),
        say("three"),
        window=20_000,
    )
    await walk.open(env=AUTO_OFF)
    events = await walk.say("first")
    assert reading(events).level is Level.ERROR
    assert of(events, CompactStarted) == []
    events = await walk.say("second FACT-23")
    assert finished(events).text == "two"
    assert any("too long" in notice.text for notice in of(events, Notice))
    assert len(of(events, CompactFinished)) == 1
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    assert finished(await walk.say("third")).text == "three"


# ---- 24: the last request, not a sum


async def test_24_the_meter_shows_the_last_request(make_walk):
    walk = await make_walk(say("fine", usage=used(3_000)).times(10), window=20_000)
    for number in range(10):
        events = await walk.say(f"prompt {number}")
        assert 2_900 < reading(events).used < 3_400
        assert of(events, CompactStarted) == []


# ---- breakers


async def test_three_failures_rest_it_and_a_manual_success_closes_the_breaker(make_walk):
    bad = reply(text(" "))
    walk = await make_walk(
        say("on", usage=used(14_000)).when(compaction=False, repeat=0),
        bad.when(compaction=True, repeat=6),
        summary("S").when(compaction=True, repeat=0),
        window=20_000,
    )
    for number in range(4):
        events = await walk.say(f"prompt {number}")
        assert finished(events).text == "on"
    assert len(walk.compactions()) == 6  # three attempts of two requests
    assert any("rests for this session" in notice.text for notice in of(events, Notice))
    events = await walk.say("one more")
    assert len(walk.compactions()) == 6
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    await walk.say("grow again")
    assert len(of(await walk.say("and again"), CompactFinished)) == 1
