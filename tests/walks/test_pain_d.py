"""Meters that lied (users' reports by number): stale or nought after a compaction, the wrong denominator, two meanings of 100 %.

Windows are translated to our ladder: at 20,000 tokens auto-compact is at 13,400 and blocking at 15,400.
"""

import re

import msgspec
import pytest

from agent.api import Flags, meter_text
from agent.protocol.events import CompactFinished, CompactStarted, Failed, MeterChanged, Notice
from agent.protocol.meter import Level, Reading, WindowSource
from agent.rehearsal.models import MODELS
from agent.rehearsal.script import call, say, summary
from tests.walks.conftest import finished, of, used
from tui.render.meter import meter_row, numbers
from tui.render.theme import TERMINAL

LOCAL = "my-local-model"


def footer(reading: Reading) -> str:
    """The meter's row as the faces draw it."""
    words = meter_text(reading, auto=reading.auto, compact_disabled=False)
    return meter_row(reading, words, 140, TERMINAL).text


def serves(walk, model: str, window: int = 1_000_000) -> None:
    """The server knows a model that our table does not."""
    known = walk.api.api._models
    known[model] = msgspec.structs.replace(MODELS[0], id=model, window=window, bound=False)


def meters(events) -> list[Reading]:
    """Every state of the meter that a face was told."""
    return [event.reading for event in of(events, MeterChanged)]


# ---- 36, 37, 38: right after a compaction


@pytest.mark.parametrize("told", [{}, used(17_000)])
async def test_36_37_38_after_a_compaction_the_meter_shows_what_will_be_sent(make_walk, told):
    walk = await make_walk(
        say("one", usage=used(13_000)), summary("word " * 700), say("two", usage=used(4_321)), window=20_000
    )
    if told:  # the compaction call's own usage is the whole old history
        walk.api.api.script.replies[1] = msgspec.structs.replace(walk.api.api.script.replies[1], usage=told)
    await walk.say("first")
    events = await walk.say("/compact")
    for reading in meters(events)[-1:]:
        assert reading.estimated
        assert reading.margin > 0
        assert reading.used < 0.2 * reading.window
        assert reading.used == of(events, CompactFinished)[0].receipt.post_tokens
        row = footer(reading)
        assert row.strip().startswith(("━", "─", "╋", "┼"))
        assert numbers(reading) == f"~{reading.used:,} / 20,000"
        assert not re.search(r"\b0% left|\b100% used|\b0%|\b100%", row)
    assert walk.session.reading() == meters(events)[-1]
    events = await walk.say("second")
    assert (walk.session.reading().used, walk.session.reading().estimated) == (4_321, False)
    assert of(events, CompactStarted) == []


async def test_37_no_state_of_the_meter_on_the_way_shows_the_compaction_call(make_walk):
    walk = await make_walk(say("one", usage=used(13_500)), summary("S"), say("two", usage=used(4_000)), window=20_000)
    walk.api.api.script.replies[1] = msgspec.structs.replace(walk.api.api.script.replies[1], usage=used(17_500))
    await walk.say("first")
    events = await walk.say("second")
    assert len(of(events, CompactFinished)) == 1
    assert max(reading.used for reading in meters(events)) < 13_600
    assert meters(events)[-1].used == 4_000


# ---- 39: the denominator


async def test_39_a_declared_million_is_the_denominator(make_walk):
    walk = await make_walk(say("one", usage=used(100_000)))
    serves(walk, "claude-x")
    await walk.open(flags=Flags(model="claude-x[1m]"))
    await walk.say("first")
    reading = walk.session.reading()
    assert (reading.window, 100 * reading.used // reading.window) == (1_000_000, 10)
    assert walk.bodies()[0]["model"] == "claude-x"


@pytest.mark.parametrize("how", ["flag", "env"])
async def test_39_a_declared_window_counts_where_nobody_knows_better(make_walk, how):
    walk = await make_walk(say("one", usage=used(16_000)))
    serves(walk, LOCAL, window=200_000)
    flags, env = Flags(model=LOCAL), {}
    if how == "flag":
        flags = Flags(model=LOCAL, context_window=32_768)
    else:
        env = {"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "32768"}
    await walk.open(flags=flags, env=env)
    await walk.say("first")
    reading = walk.session.reading()
    assert (reading.window, 100 * reading.used // reading.window) == (32_768, 48)
    assert reading.windows.source is (WindowSource.FLAG if how == "flag" else WindowSource.ENV)


async def test_39_for_a_known_model_the_person_is_told_what_does_it_instead(make_walk):
    walk = await make_walk(say("one", usage=used(16_000)).times(2))
    session = await walk.open(flags=Flags(context_window=32_768))
    await session.start()
    await session.close()
    told = [event.text async for event in session.events() if isinstance(event, Notice)]
    (line,) = [text for text in told if "--context-window=32768" in text]
    assert "--autocompact or autoCompactWindow fills less" in line
    await walk.open(flags=Flags(autocompact="32768"))
    await walk.say("first")
    reading = walk.session.reading()
    assert reading.windows.compaction == 32_768
    assert round(reading.percent) == round(100 * 16_000 / 21_954)


async def test_39_a_window_that_nobody_knows_is_said_to_be_assumed(make_walk):
    walk = await make_walk(say("one", usage=used(16_000)))
    await walk.open(flags=Flags(model=LOCAL))
    await walk.session.start()
    reading = walk.session.reading()
    assert reading.windows.source is WindowSource.ASSUMED
    assert "200,000 (assumed)" in footer(reading)
    assert "200,000 (assumed)" in finished(await walk.say("/context")).text


async def test_39_a_smaller_window_after_a_model_switch_is_the_denominator_at_once(make_walk):
    walk = await make_walk(say("one", usage=used(90_000)))
    await walk.say("first")
    events = await walk.say("/model claude-opus-4-5")
    assert (meters(events)[-1].window, meters(events)[-1].tiers.auto_compact) == (200_000, 167_000)


# ---- 41: what 100 % means


async def test_41_used_window_and_the_mark_are_said_apart_and_what_is_announced_happens_once(make_walk):
    walk = await make_walk(say("one", usage=used(13_390)), summary("S"), say("two", usage=used(4_000)), window=20_000)
    events = await walk.say("first")
    reading = meters(events)[-1]
    assert reading.percent_left == 0
    row = footer(reading)
    assert "13,390 / 20,000" in row
    assert "99% of auto-compact 13,400" in row
    assert "Context left until auto-compact: 0%" in row
    assert meter_text(reading, auto=True, compact_disabled=False) != "0%"
    events = await walk.say("and now some more words, which carry it over the mark that was announced")
    assert len(of(events, CompactStarted)) == 1
    assert finished(events).text == "two"
    for state in meters(events):
        assert not re.fullmatch(r"\W*(0|100)%\W*", footer(state))


async def test_41_at_the_limit_the_prompt_is_held_and_not_lost_and_everything_else_works(make_walk, project):
    walk = await make_walk(
        call("Read", file_path=str(project / "hello.py")),
        say("one", usage=used(15_500)),
        summary("S"),
        say("two", usage=used(3_000)),
        window=20_000,
    )
    await walk.open(env={"DISABLE_AUTO_COMPACT": "1"})
    await walk.say("first")
    before, sent = walk.transcript_text(), len(walk.bodies())
    events = await walk.say("second")
    (failure,) = of(events, Failed)
    assert failure.failure.what == (
        "Context limit reached · /compact or /clear to continue · auto-compact is off · /autocompact on"
    )
    assert finished(events).terminal_reason == "blocking_limit"
    assert walk.transcript_text() == before  # not on record: the face gives the words back
    assert len(walk.bodies()) == sent
    assert "15,500" in finished(await walk.say("/context")).text
    ran = [event async for event in walk.session.run_shell("echo FACT-41")]
    assert not finished(ran).is_error
    assert not finished(await walk.say("/compact")).is_error
    assert finished(await walk.say("second")).text == "two"


async def test_41_below_the_warning_nothing_nags(make_walk):
    walk = await make_walk(say("one", usage=used(10_700)), window=20_000)
    events = await walk.say("first")
    assert of(events, Notice) == []
    assert {meter_text(reading, auto=True, compact_disabled=False) for reading in meters(events)} == {""}
    assert meters(events)[-1].level is Level.OK


# ---- missing or made-up usage of gateways


@pytest.mark.parametrize(
    "usage",
    [
        {"input_tokens": 0, "output_tokens": 0},
        {"input_tokens": 10**9, "output_tokens": 5},
        {"input_tokens": 3_000, "output_tokens": 10**9},
        {"input_tokens": -7, "output_tokens": 5},
    ],
)
async def test_a_gateway_s_impossible_usage_leaves_a_marked_estimate_and_fires_nothing(make_walk, project, usage):
    walk = await make_walk(
        call("Read", file_path=str(project / "hello.py")),
        say("one", usage=usage),
        say("two", usage=usage),
        window=20_000,
    )
    await walk.say("first")
    first_reading = walk.session.reading()
    events = await walk.say("second")
    assert of(events, CompactStarted) == []
    for reading in (first_reading, walk.session.reading()):
        assert reading.estimated
        assert 1_500 < reading.used < 6_000
    assert "~" in numbers(walk.session.reading())


async def test_41_a_held_prompt_is_not_on_the_meter(make_walk):
    walk = await make_walk(say("one", usage=used(15_300)), window=20_000)
    await walk.open(env={"DISABLE_AUTO_COMPACT": "1"})
    await walk.say("first")
    events = await walk.say("a prompt of many words " * 100)
    assert finished(events).terminal_reason == "blocking_limit"
    assert meters(events)[-1].used == walk.session.reading().used == 15_300
