"""A prompt that takes more than half of the way to the threshold: a word before it is sent, without a question."""

import re

import pytest

from agent.protocol.events import Asked, CompactStarted, Notice, PromptAccepted
from agent.rehearsal.script import say, summary
from tests.walks.conftest import finished, of

WINDOW = 20_000  # T = 13,400
LARGE = "This prompt is large"
WORDS = "a few words, "  # four tokens by our count and by the server's


def told(events) -> list[str]:
    return [event.text for event in of(events, Notice) if event.text.startswith(LARGE)]


def numbers(text: str) -> list[int]:
    return [int(word.replace(",", "")) for word in re.findall(r"~([\d,]+)", text)]


async def test_a_large_prompt_is_told_with_tokens_price_and_what_remains_before_it_is_sent(make_walk):
    walk = await make_walk(say("one"), say("two"), window=WINDOW)
    events = await walk.say(WORDS * 1_830)
    [line] = told(events)
    tokens, left = numbers(line)
    assert 13_400 / 2 < tokens < 13_400
    assert re.search(r"\(~\$0\.0\d+ to send\)", line)
    said = next(at for at, event in enumerate(events) if isinstance(event, Notice) and event.text == line)
    assert said < next(at for at, event in enumerate(events) if isinstance(event, PromptAccepted))
    assert not of(events, Asked) and not finished(events).is_error
    said_after = 13_400 - walk.session.reading().used
    assert abs(left - said_after) < 0.1 * 13_400
    assert not told(await walk.say("and now?"))


async def test_what_a_prompt_attaches_counts(make_walk, project):
    (project / "notes.txt").write_text("some words of notes\n" * 1_500, encoding="utf-8")
    walk = await make_walk(say("one"), window=WINDOW)
    assert told(await walk.say("look at @notes.txt"))


async def test_what_remains_is_counted_after_the_compaction_that_makes_room(make_walk):
    walk = await make_walk(say(WORDS * 1_900), summary("S"), say("two"), window=WINDOW)
    await walk.say("first")
    events = await walk.say(WORDS * 1_830)
    assert of(events, CompactStarted)
    [line] = told(events)
    assert numbers(line)[1] < 13_400


@pytest.mark.parametrize("words", [1, 960])
async def test_nothing_is_said_of_a_small_one(make_walk, words):
    walk = await make_walk(say("one"), window=WINDOW)
    assert not told(await walk.say(WORDS * words))


async def test_with_auto_compact_off_it_is_the_limit_that_counts(make_walk):
    walk = await make_walk(say("one"), window=WINDOW)
    await walk.open(env={"DISABLE_AUTO_COMPACT": "1"})
    [line] = told(await walk.say(WORDS * 2_250))
    assert line.endswith("remain until prompts are held.")
