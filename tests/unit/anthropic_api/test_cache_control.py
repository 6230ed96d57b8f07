"""Breakpoints: where they stand, how many, and that nothing else in a request moves."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.anthropic_api.cache_control import REACH, caching_enabled, place_breakpoints
from agent.anthropic_api.fields import JsonObject

MARK = {"type": "ephemeral"}


def _body(messages: list[JsonObject]) -> JsonObject:
    tools = [{"name": "A"}, {"name": "B"}]
    return {"model": "m", "tools": tools, "system": [{"type": "text", "text": "s"}], "messages": messages}


def _marked(value: object, path: str = "") -> list[str]:
    if isinstance(value, dict):
        here = [path] if "cache_control" in value else []
        return here + [found for key, item in value.items() for found in _marked(item, f"{path}/{key}")]
    if isinstance(value, list):
        return [found for index, item in enumerate(value) for found in _marked(item, f"{path}/{index}")]
    return []


def _stripped(value: object) -> object:
    if isinstance(value, dict):
        return {key: _stripped(item) for key, item in value.items() if key != "cache_control"}
    return [_stripped(item) for item in value] if isinstance(value, list) else value


def _turn(kind: str, **fields: object) -> JsonObject:
    return {"role": "assistant" if kind == "tool_use" else "user", "content": [{"type": kind, **fields}]}


def test_tools_system_and_the_last_block_are_marked() -> None:
    body = _body([_turn("text", text="hi"), _turn("text", text="there")])
    assert _marked(place_breakpoints(body, "5m")) == ["/tools/1", "/system/0", "/messages/1/content/0"]


def test_longer_lifetime_is_named() -> None:
    marked = place_breakpoints(_body([_turn("text", text="hi")]), "1h")
    assert json.dumps(marked).count(json.dumps({"type": "ephemeral", "ttl": "1h"})) == 3


def test_thinking_and_blank_text_carry_no_mark() -> None:
    blocks: list[object] = [
        {"type": "text", "text": "yes"},
        {"type": "thinking", "thinking": "t", "signature": "s"},
        {"type": "text", "text": " "},
        {"type": "redacted_thinking", "data": "d"},
    ]
    body: JsonObject = {"messages": [{"role": "user", "content": blocks}]}
    assert _marked(place_breakpoints(body, "5m")) == ["/messages/0/content/0"]


def test_long_loop_gets_a_second_mark_one_reach_earlier() -> None:
    messages = [_turn("tool_use" if place % 2 == 0 else "tool_result", n=place) for place in range(60)]
    paths = [path for path in _marked(place_breakpoints(_body(messages), "5m")) if path.startswith("/messages")]
    assert paths == [f"/messages/{60 - REACH}/content/0", "/messages/59/content/0"]


def test_run_of_results_is_one_position() -> None:
    results: list[object] = [{"type": "tool_result", "n": place} for place in range(50)]
    body: JsonObject = {"messages": [_turn("text", text="first"), {"role": "user", "content": results}]}
    assert _marked(place_breakpoints(body, "5m")) == ["/messages/1/content/49"]


_kinds = st.sampled_from(["text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image", "new_kind"])
_blocks = st.lists(st.builds(lambda kind, text: {"type": kind, "text": text}, _kinds, st.sampled_from(["", "x"])))


@given(st.lists(_blocks, max_size=40))
def test_at_most_four_marks_and_nothing_else_changes(contents: list[list[object]]) -> None:
    body = _body([{"role": "user", "content": content} for content in contents])
    before = copy.deepcopy(body)
    marked = place_breakpoints(body, "5m")
    assert body == before
    assert _stripped(marked) == before
    assert len(_marked(marked)) <= 4


@pytest.mark.parametrize(
    ("value", "enabled"), [(None, True), ("", True), ("0", True), ("false", True), ("1", False), ("true", False)]
)
def test_environment_switches_caching_off(value: str | None, enabled: bool) -> None:
    assert caching_enabled({} if value is None else {"DISABLE_PROMPT_CACHING": value}) is enabled
