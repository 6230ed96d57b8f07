"""The line that explains a miss: its cause in the order in which the API looks, and no word when nothing was lost."""

import msgspec
import pytest

from agent.context.cache_watch import CacheWatch
from agent.protocol.blocks import ToolResult, ToolUse
from agent.protocol.messages import Message, Usage, user_message
from agent.protocol.model import ClearToolUses, Request, ThinkingAdaptive, ToolSpec

READ = ToolSpec("Read", "Reads.", {"type": "object"})
CALLED = (
    user_message("hi"),
    Message("assistant", (ToolUse(id="a", name="Read", input={}),)),
    Message("user", (ToolResult(tool_use_id="a", content="text"),)),
)
FIRST = Request(model="m", system=("s",), tools=(READ,), messages=CALLED, max_tokens=100)
NEXT = msgspec.structs.replace(
    FIRST, messages=(*CALLED, Message("assistant", (ToolUse(id="b", name="Read", input={}),)))
)
MISS = Usage(cache_read=2_000, cache_creation=31_000)


def second(request: Request, usage: Usage = MISS, *, later: float = 1.0) -> str:
    """What is said of `request` after FIRST, of which 30,000 tokens were cached."""
    watch = CacheWatch()
    assert watch.answered(FIRST, Usage(cache_creation=30_000), 0.0) == ""
    return watch.answered(request, usage, later)


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"model": "n"}, "the model changed"),
        ({"tools": ()}, "the tools changed"),
        ({"system": ("t",), "model": "m"}, "the system prompt changed"),
        ({"thinking": ThinkingAdaptive()}, "the thinking settings changed"),
        ({"effort": "low"}, "the thinking settings changed"),
        ({"clear_tool_uses": ClearToolUses(keep=1)}, "old tool results were cleared"),
        ({"messages": (CALLED[0], user_message("other"))}, "earlier messages changed"),
        ({}, "the server no longer had it"),
    ],
)
def test_the_cause_is_named(change, cause):
    line = second(msgspec.structs.replace(NEXT, **change))
    assert line == f"This turn re-wrote 28,000 tokens to the prompt cache because {cause}."


def test_a_cold_cache_is_told_by_the_time_that_has_passed():
    assert "gone cold (11 minutes" in second(NEXT, later=660.0)


def test_no_word_when_everything_was_read():
    assert second(NEXT, Usage(cache_read=30_000, cache_creation=500)) == ""
    assert (
        second(NEXT, Usage(cache_read=29_000, cache_creation=1_500)) == ""
    )  # less than the shortest prefix the API keeps


def test_a_new_history_and_a_server_without_a_cache_are_no_miss():
    assert second(msgspec.structs.replace(NEXT, messages=(user_message("the summary"),))) == ""
    watch = CacheWatch()
    watch.answered(FIRST, Usage(input=30_000), 0.0)
    assert watch.answered(NEXT, Usage(input=31_000), 1.0) == ""


def test_what_stays_cleared_is_no_change():
    cleared = msgspec.structs.replace(FIRST, clear_tool_uses=ClearToolUses(keep=0))
    watch = CacheWatch()
    watch.answered(cleared, Usage(cache_creation=30_000), 0.0)
    later = msgspec.structs.replace(NEXT, clear_tool_uses=ClearToolUses(keep=1))
    assert "the server no longer had it" in watch.answered(later, MISS, 1.0)
