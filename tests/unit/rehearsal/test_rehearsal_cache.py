"""The prompt cache: what is read and written where, for how long, what throws it away, and what it costs."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.rehearsal.report import describe
from agent.rehearsal.script import Script, say
from agent.rehearsal.server import RehearsalThread
from tests.unit.rehearsal.raw import READ, ask, assistant, post, result, text, use, user

Serve = Callable[..., RehearsalThread]
MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
LONG = "x" * 6600
"""2,000 tokens."""


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def used(api: RehearsalThread, *messages: Any, **fields: object) -> tuple[int, int, int]:  # noqa: ANN401
    """Send; tokens read, written and fresh. They are always the whole prompt."""
    status, answer = post(api.url, ask(*messages, **fields))
    assert status == 200, answer
    usage = answer["usage"]
    fresh, read, written = (usage[f"{name}input_tokens"] for name in ("", "cache_read_", "cache_creation_"))
    counted = post(api.url, ask(*messages, **fields), path="/v1/messages/count_tokens")[1]["input_tokens"]
    assert fresh + read + written == counted
    assert sum(usage["cache_creation"].values()) == written
    return read, written, fresh


def test_without_a_mark_nothing_is_cached(serve: Serve) -> None:
    api = serve()
    assert used(api, user(LONG)) == used(api, user(LONG)) == (0, 0, 2004)


def test_a_marked_prefix_is_written_then_read(serve: Serve) -> None:
    api = serve()
    assert used(api, user(text(LONG, **MARK), text("abc"))) == (0, 2004, 1)
    assert used(api, user(text(LONG, **MARK), text("def"))) == (2004, 0, 1)


def test_below_the_minimum_nothing_is_cached(serve: Serve) -> None:
    api = serve()
    assert used(api, user(text("x" * 3300, **MARK))) == (0, 0, 1004)
    assert used(api, user(text("x" * 3300, **MARK)), model="claude-opus-5-5") == (0, 1004, 0)


def test_an_entry_lives_five_minutes_from_the_last_use(serve: Serve) -> None:
    clock = Clock()
    api = serve(clock=clock)
    assert used(api, user(text(LONG, **MARK)))[1] == 2004
    for _ in range(3):
        clock.now += 299
        assert used(api, user(text(LONG, **MARK))) == (2004, 0, 0)
    clock.now += 301
    assert used(api, user(text(LONG, **MARK))) == (0, 2004, 0)


def test_an_hour_is_an_hour(serve: Serve) -> None:
    clock = Clock()
    api = serve(clock=clock)
    answer = post(api.url, ask(user(text(LONG, **HOUR))))[1]
    assert answer["usage"]["cache_creation"] == {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 2004}
    clock.now += 3599
    assert used(api, user(text(LONG, **HOUR)))[0] == 2004


def test_a_growing_conversation_reads_what_the_last_turn_wrote(serve: Serve) -> None:
    api = serve()
    first = [user(text(LONG, **MARK))]
    used(api, *first)
    longer = [user(LONG), assistant("ok"), user(text("more", **MARK))]
    read, written, fresh = used(api, *longer)
    assert (read, fresh) == (2004, 0)
    assert written > 0


def test_the_look_back_ends_after_twenty_positions(serve: Serve) -> None:
    api = serve()
    used(api, user(text(LONG, **MARK)))
    near = [text("a")] * 19
    assert used(api, user(text(LONG), *near, text("b", **MARK)))[0] == 2004
    assert used(api, user(text(LONG), *near, text("a"), text("c", **MARK)))[0] == 0


def test_a_run_of_results_is_one_position(serve: Serve) -> None:
    api = serve()
    used(api, user(text(LONG, **MARK)))
    names = [f"t{number}" for number in range(30)]
    results = [result(name) for name in names]
    results[-1] |= MARK
    assert used(api, user(LONG), assistant(*[use(name) for name in names]), user(*results))[0] == 2004


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, "messages"),
        ({"max_tokens": 50, "metadata": {"user_id": "u"}}, "messages"),
        ({"tool_choice": {"type": "none"}}, "system"),
        ({"thinking": {"type": "adaptive"}}, "system"),
        ({"output_config": {"effort": "low"}}, "system"),
        ({"system": [text("y" * 6600, **MARK)]}, "tools"),
        ({"tools": [READ | {"description": "z" * 6600} | MARK]}, "nothing"),
        ({"model": "claude-sonnet-5"}, "nothing"),
    ],
)
def test_what_throws_the_cache_away(serve: Serve, change: dict[str, Any], kept: str) -> None:
    api = serve()
    base: dict[str, Any] = {
        "tools": [READ | {"description": LONG} | MARK],
        "system": [text(LONG, **MARK)],
    }
    sizes = {"nothing": 0, "tools": 0, "system": 2000, "messages": 4004}
    whole = sum(used(api, user(text(LONG, **MARK)), **base))
    tools = whole - sizes["messages"]
    expected = {"nothing": 0, "tools": tools, "system": tools + 2000, "messages": whole}
    assert used(api, user(text(LONG, **MARK)), **(base | change))[0] == expected[kept]


def test_a_mark_inside_a_result_counts_as_the_results(serve: Serve) -> None:
    api = serve()
    called = (user("hi"), assistant(use("t1")))
    assert used(api, *called, user(result("t1", [text(LONG, **MARK)])))[1] > 2000
    assert used(api, *called, user(result("t1", [text(LONG, **MARK)])))[0] > 2000


def test_the_top_level_mark_is_on_the_last_block(serve: Serve) -> None:
    api = serve()
    automatic = {"cache_control": {"type": "ephemeral"}}
    assert used(api, user(LONG), **automatic) == (0, 2004, 0)
    assert used(api, user(LONG), assistant("ok"), user("more"), **automatic)[0] == 2004


def test_another_message_loses_the_cache_from_there_on(serve: Serve) -> None:
    api = serve()
    used(api, user(text(LONG, **MARK)), assistant("a"), user(text("b", **MARK)))
    assert used(api, user(text(LONG, **MARK)), assistant("other"), user(text("b", **MARK)))[0] == 2004


def test_a_request_for_no_tokens_warms_the_cache_and_takes_no_reply(serve: Serve) -> None:
    api = serve(Script([say("only reply")]))
    warmed = post(api.url, ask(user(text(LONG, **MARK)), max_tokens=0))[1]
    assert (warmed["content"], warmed["stop_reason"], warmed["usage"]["output_tokens"]) == ([], "max_tokens", 0)
    assert used(api, user(text(LONG, **MARK)))[0] == 2004
    assert api.seen == ["POST /v1/messages", "POST /v1/messages", "POST /v1/messages/count_tokens"]


def test_a_scripted_input_is_the_whole_prompt(serve: Serve) -> None:
    api = serve(Script([say("a", usage={"input_tokens": 9000}), say("b", usage={"output_tokens": 5})]))
    marked = user(text(LONG, **MARK))
    first, second = (post(api.url, ask(marked))[1]["usage"] for _ in range(2))
    assert (first["input_tokens"], first["cache_creation_input_tokens"], first["cache_read_input_tokens"]) == (
        9000,
        0,
        0,
    )
    assert (second["output_tokens"], second["cache_read_input_tokens"]) == (5, 2004)


def test_the_miss_is_explained(serve: Serve) -> None:
    api = serve()

    def told(previous: str | None, *messages: Any, **fields: object) -> tuple[str, Any]:  # noqa: ANN401
        answer = post(api.url, ask(*messages, diagnostics={"previous_message_id": previous}, **fields))[1]
        reason = (answer["diagnostics"] or {}).get("cache_miss_reason")
        return answer["id"], reason and (reason["type"], reason.get("cache_missed_input_tokens"))

    first, reason = told(None, user(LONG))
    assert reason is None
    grown = (user(LONG), assistant("ok"), user("more"))
    assert told(first, *grown)[1] is None
    assert told(first, user("new"))[1] == ("messages_changed", 2004)
    assert told(first, *grown, system="s")[1] == ("system_changed", 2004)
    assert told(first, *grown, tools=[READ])[1] == ("tools_changed", 2004)
    assert told(first, *grown, model="claude-sonnet-5")[1] == ("model_changed", 2004)
    assert told(first, *grown, thinking={"type": "adaptive"})[1] == ("unavailable", None)
    assert told("msg_x", *grown)[1] == ("previous_message_not_found", None)


def test_the_report_adds_up_per_session(serve: Serve) -> None:
    api = serve()
    mine = {"metadata": {"user_id": "me"}}
    used(api, user(text(LONG, **MARK)), **mine)
    used(api, user(text(LONG, **MARK)), **mine)
    post(api.url, ask(user("x" * 330_000), model="claude-haiku-5-5"))
    cost = api.api.costs["me"]
    assert (cost.requests, cost.read, cost.written, cost.read_share) == (2, 2004, 2004, 0.5)
    assert cost.price == pytest.approx((2004 * 2.5 + 2004 * 0.10 + 2 * 1 * 10) / 1e6)
    cliff = api.api.costs["session"]
    assert cliff.price == pytest.approx((100_004 * 0.50 + 1 * 2.5) / 1e6), "above 100K every token costs five times"
    assert next(iter(describe(api.api.costs))).startswith("me: 2 requests, 4008 prompt tokens (50% read")
