"""Design note 001, section 2: the fork shares the main thread's cache; with the sharing 98 % is read, without it nothing."""

import pytest

from agent.protocol.events import CompactFinished
from agent.rehearsal.script import say, summary
from tests.walks.conftest import of
from tests.walks.test_compact_request_walk import prompt_tokens, read_share


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "claude-opus-5-5"])
async def test_at_least_98_per_cent_of_the_prefix_is_read(make_walk, model) -> None:
    walk = await make_walk(*[say(f"answer {n} " + "word " * 900) for n in range(4)], summary("S"))
    await walk.open(env={"ANTHROPIC_MODEL": model})
    for number in range(4):
        await walk.say(f"question {number}")
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    assert read_share(walk) >= 0.98


async def test_no_max_tokens_of_its_own(make_walk) -> None:
    """maxOutputTokens would change the thinking budget and with it the cache key."""
    walk = await make_walk(say("one " * 900), summary("S"))
    await walk.open(env={"MAX_THINKING_TOKENS": "4000", "ANTHROPIC_MODEL": "claude-haiku-4-5"})
    await walk.say("first")
    await walk.compact()
    turn, asked = walk.bodies()
    assert (turn["max_tokens"], turn["thinking"]) == (asked["max_tokens"], asked["thinking"])


async def test_the_streaming_path_without_tools_reads_nothing_of_it(make_walk) -> None:
    walk = await make_walk(say("one " * 3_000), say(" "), summary("S"))
    await walk.say("first")
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    fallback = walk.api.requests[-1]
    assert "tools" not in fallback.body
    assert fallback.usage["cache_read_input_tokens"] < 0.2 * prompt_tokens(fallback)
