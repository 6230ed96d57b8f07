"""A request too large to stand beside a summary: /compact brings the session under the threshold, and its words stay readable."""

import re
from pathlib import Path

import pytest

from agent.api import meter_text
from agent.protocol.events import CompactFinished, Notice
from agent.protocol.meter import Level
from agent.rehearsal.script import call, fail, say, summary
from tests.walks.conftest import Walk, finished, of

WINDOW = 20_000  # T = 13,400
MIDDLE = "the HERON-4711 stands in the middle"
HUGE = (
    f"BEGIN of a paste {'a few words, ' * 1_570} {MIDDLE} {'a few words, ' * 1_570} END of the paste: keep the herons"
)
CUT = "The last request is too large to stand beside a summary"


def check(walk: Walk, events: list[object]) -> None:
    """Both ends of the request are told, its middle can be read where the summary says, and the person was told of it."""
    assert [notice for notice in of(events, Notice) if notice.text.startswith(CUT)]
    [receipt] = [event.receipt for event in of(events, CompactFinished)]
    assert receipt.post_tokens < 13_400
    text = walk.texts()[-1]
    assert "BEGIN of a paste" in text and "END of the paste: keep the herons" in text and MIDDLE not in text
    assert re.search(r"\[… [\d,]+ characters in the earlier conversation's file …\]", text)
    name, folder = re.search(r"Grep and Read in (\S+?\.md), [^/]*(/\S+/compacted)", text).groups()
    assert MIDDLE in (Path(folder) / name).read_text(encoding="utf-8")


async def test_compact_cuts_a_last_prompt_that_nobody_answered(make_walk):
    walk = await make_walk(say("one"), fail(403, message="no"), summary("S"), say("two"), window=WINDOW)
    await walk.say("first")
    await walk.say(HUGE)
    assert walk.session.reading().level is Level.AUTO_COMPACT
    events = await walk.say("/compact")
    assert walk.session.reading().level is Level.OK
    assert finished(await walk.say("go on")).text == "two"
    check(walk, events)
    assert not finished(await walk.say("/compact undo")).is_error
    assert MIDDLE in str(walk.session._state.conversation.messages())


async def test_compact_cuts_a_last_turn_that_broke_off(make_walk, project):
    (project / "big.txt").write_text("a line of some words\n" * 300, encoding="utf-8")
    walk = await make_walk(
        say("one"),
        call("Read", file_path=str(project / "big.txt")),
        summary("S"),
        say("two"),
        window=WINDOW,
    )
    await walk.open(env={"DISABLE_AUTO_COMPACT": "1"})
    await walk.say("first")
    assert finished(await walk.say(HUGE)).error.startswith("Context limit reached · /compact")
    events = await walk.say("/compact")
    assert walk.session.reading().level is Level.OK
    assert finished(await walk.say("go on")).text == "two"
    assert of(events, CompactFinished) and MIDDLE not in walk.texts()[-1]


async def test_in_the_middle_of_a_turn_it_is_cut_once_work_on_it_has_begun(make_walk, project):
    (project / "big.txt").write_text("a line of some words\n" * 500, encoding="utf-8")
    walk = await make_walk(
        say("one"), call("Read", file_path=str(project / "big.txt")), summary("S"), say("two"), window=WINDOW
    )
    await walk.say("first")
    events = await walk.say(HUGE)
    assert finished(events).text == "two"
    assert "do not start over" in walk.texts()[-1]
    check(walk, events)


async def test_where_it_fits_it_stands_word_for_word(make_walk):
    walk = await make_walk(
        say("one " + "word " * 4_500), fail(403, message="no"), summary("S"), say("two"), window=WINDOW
    )
    await walk.say("first")
    await walk.say(f"{'word ' * 1_000} {MIDDLE} {'word ' * 1_000}")
    events = await walk.say("/compact")
    assert not [notice for notice in of(events, Notice) if notice.text.startswith(CUT)]
    await walk.say("go on")
    assert MIDDLE in walk.texts()[-1]


@pytest.mark.parametrize("window", [4_000, 5_000, 6_000])
async def test_nobody_is_stuck_in_a_tiny_window(make_walk, window):
    answer = say("one " + "word " * 60)
    walk = await make_walk(summary("S").when(compaction=True, repeat=0), answer.times(40), window=window)
    compacted = held = 0
    for number in range(20):
        events = await walk.say(f"prompt {number} " + "some words here " * 40)
        compacted += len(of(events, CompactFinished))
        if finished(events).is_error:
            held += 1
            assert finished(events).error.startswith("Autocompact is thrashing")
            assert not finished(await walk.say("/compact")).is_error  # what the line names helps
            assert not finished(await walk.say(f"prompt {number} again")).is_error
    assert compacted >= 2
    assert held <= 6  # how often hangs on how long the folder's name is
    assert walk.session.reading().used < window


async def test_the_advice_at_the_limit_is_advice_that_works(make_walk, project):
    walk = await make_walk(fail(403, message="no"), say("one"), say("two"), window=WINDOW)
    (project / "CLAUDE.md").write_text("rule " * 800, encoding="utf-8")
    await walk.say(HUGE)
    reading = walk.session.reading()
    assert reading.level is Level.BLOCKING
    assert "/compact" not in meter_text(reading, auto=True, compact_disabled=False)  # nothing was answered yet
    text = finished(await walk.say("/context")).text
    assert "Context limit reached. No compaction helps here: " in text
    assert not finished(await walk.say("/rewind 1")).is_error  # as it says
    assert walk.session.reading().level is Level.OK
    assert finished(await walk.say("hello")).text == "one"
    (project / "CLAUDE.md").write_text("rule " * 14_000, encoding="utf-8")
    await walk.say("/clear")
    text = finished(await walk.say("/context")).text
    assert "shorten CLAUDE.md" in text and "/compact or /clear to continue" not in text


async def test_the_advice_names_compact_where_it_helps(make_walk):
    walk = await make_walk(say("one"), say("two"), summary("S"), window=WINDOW)
    await walk.say("first")
    await walk.say(f"{HUGE} {'word ' * 1_000}")
    assert walk.session.reading().level is Level.BLOCKING
    assert "run /compact or /clear to continue." in finished(await walk.say("/context")).text
    await walk.compact()
    assert walk.session.reading().level is Level.OK
