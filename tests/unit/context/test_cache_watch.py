"""The line that explains a miss: its cause in the order in which the API looks, and no word when nothing was lost."""

from datetime import UTC, datetime

import msgspec
import pytest

from agent.context.cache_watch import CacheWatch, Miss, seconds_since
from agent.protocol.blocks import ToolResult, ToolUse
from agent.protocol.messages import Message, Usage, user_message
from agent.protocol.model import ClearToolUses, Reply, Request, ThinkingAdaptive, ToolSpec

READ = ToolSpec("Read", "Reads.", {"type": "object"})
CALLED = (
    user_message("hi"),
    Message("assistant", (ToolUse(id="a", name="Read", input={}),)),
    Message("user", (ToolResult(tool_use_id="a", content="text"),)),
)
SHORTER = Message("user", (ToolResult(tool_use_id="a", content="[cleared]"),))
FIRST = Request(model="m", system=("s",), tools=(READ,), messages=CALLED, max_tokens=100)
NEXT = msgspec.structs.replace(
    FIRST, messages=(*CALLED, Message("assistant", (ToolUse(id="b", name="Read", input={}),)))
)
MISS = Usage(cache_read=2_000, cache_creation=31_000)


def replied(usage: Usage | None, server: str = "") -> Reply:
    """An answer that the API counted so."""
    return Reply(message_id="msg_1", model="m", blocks=(), stop_reason="end_turn", usage=usage, cache_miss=server)


def second(request: Request, usage: Usage = MISS, *, later: float = 1.0, server: str = "") -> str:
    """What is said of `request` after FIRST, of which 30,000 tokens were cached."""
    watch = CacheWatch()
    assert watch.answered(FIRST, replied(Usage(cache_creation=30_000)), 0.0) is None
    miss = watch.answered(request, replied(usage, server), later)
    return "" if miss is None else miss.line


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
        ({"messages": (*CALLED[:2], SHORTER)}, "old tool results were cleared"),
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
    watch.answered(FIRST, replied(Usage(input=30_000)), 0.0)
    assert watch.answered(NEXT, replied(Usage(input=31_000)), 1.0) is None


def test_what_stays_cleared_is_no_change():
    cleared = msgspec.structs.replace(FIRST, clear_tool_uses=ClearToolUses(keep=0))
    watch = CacheWatch()
    watch.answered(cleared, replied(Usage(cache_creation=30_000)), 0.0)
    later = msgspec.structs.replace(NEXT, clear_tool_uses=ClearToolUses(keep=1))
    miss = watch.answered(later, replied(MISS), 1.0)
    assert miss is not None
    assert "the server no longer had it" in miss.line


@pytest.mark.parametrize(
    ("change", "server", "cause", "contradicted"),
    [
        ({"tools": ()}, "tools_changed", "the tools changed", ""),
        ({"clear_tool_uses": ClearToolUses(keep=1)}, "messages_changed", "old tool results were cleared", ""),
        ({"model": "n", "tools": ()}, "tools_changed", "the tools changed", "tools_changed"),
        ({}, "messages_changed", "earlier messages changed", "messages_changed"),
        ({"effort": "low"}, "unavailable", "the thinking settings changed", ""),
        ({}, "previous_message_not_found", "the server no longer had it", ""),
    ],
)
def test_the_server_s_own_reason_is_right_and_a_contradiction_is_known(change, server, cause, contradicted):
    watch = CacheWatch()
    watch.answered(FIRST, replied(Usage(cache_creation=30_000)), 0.0)
    miss = watch.answered(msgspec.structs.replace(NEXT, **change), replied(MISS, server), 1.0)
    assert miss == Miss(28_000, cause, contradicted)


def test_an_answer_without_a_usage_is_remembered_by_its_name_alone():
    watch = CacheWatch()
    assert watch.answered(FIRST, replied(None), 0.0) is None
    assert watch.previous_id == "msg_1"
    assert watch.answered(NEXT, replied(MISS), 1.0) is None


@pytest.mark.parametrize(
    ("timestamp", "age"),
    [("2026-01-01T00:00:00.000Z", 60.0), ("2026-01-01T00:00:00", None), ("", None), ("yesterday", None)],
)
def test_the_age_of_a_record_is_unknown_where_it_does_not_say(timestamp: str, age: float | None) -> None:
    assert seconds_since(timestamp, datetime(2026, 1, 1, 0, 1, tzinfo=UTC)) == age


def resumed(request: Request = NEXT, usage: Usage = MISS, *, later: float = 1.0, server: str = "") -> str:
    """What is said of the first request of a session that goes on, of which an earlier process had cached 30,000 tokens."""
    watch = CacheWatch()
    watch.left(FIRST.messages, "m-20260101", "msg_0", Usage(cache_read=10_000, cache_creation=20_000), -10.0)
    assert watch.previous_id == "msg_0"
    miss = watch.answered(request, replied(usage, server), later)
    return "" if miss is None else miss.line.partition("because ")[2]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {},
            "the server no longer had it, or tools, system prompt or thinking settings are not as the session was left.",
        ),
        ({"model": "n"}, "the model changed."),
        ({"messages": (CALLED[0], user_message("other"))}, "earlier messages changed."),
    ],
)
def test_the_first_turn_of_a_session_that_goes_on_is_explained_too(change, said):
    assert resumed(msgspec.structs.replace(NEXT, **change)) == said


def test_where_the_api_says_what_changed_meanwhile_it_is_told():
    assert resumed(server="tools_changed") == "the tools changed."


@pytest.mark.parametrize(
    ("later", "long"), [(400.0, "6 minutes"), (7_500.0, "2 hours"), (200_000.0, "2 days"), (80_000.0, "22 hours")]
)
def test_a_cache_that_has_gone_cold_meanwhile_is_told(later, long):
    assert resumed(later=later) == f"the cache had gone cold ({long} since the last request)."


def test_a_session_that_goes_on_in_a_warm_cache_is_not_spoken_of():
    assert not resumed(usage=Usage(cache_read=30_000, cache_creation=500))
