"""The body of a request: deterministic, blocks replayed as they came, parameters as the API takes them."""

import json

import pytest

from agent.anthropic_api.fields import decode_object
from agent.anthropic_api.wire import request_body
from agent.protocol.blocks import Text, ToolResult, ToolUse, block_from_json
from agent.protocol.messages import Message, user_message
from agent.protocol.model import ThinkingAdaptive, ThinkingBudget, ThinkingOff
from tests.unit.anthropic_api.wire_support import request


def test_same_request_gives_the_same_bytes() -> None:
    first, second = (json.dumps(request_body(request(effort="high"), ttl="5m")) for _ in range(2))
    assert first == second


def test_nothing_else_differs_between_two_turns() -> None:
    """Only cache marks may move: what was sent before is sent again unchanged."""
    talk = [user_message("one"), Message("assistant", (Text(text="two"),)), user_message("three")]
    short, long = request_body(request(*talk[:1]), ttl=None), request_body(request(*talk), ttl=None)
    assert isinstance(long["messages"], list)
    assert {**long, "messages": long["messages"][:1]} == short


def test_own_blocks_are_written_plainly() -> None:
    blocks = (
        ToolUse(id="t", name="Read", input={"b": 1, "a": 2}),
        ToolResult(tool_use_id="t", content="x", is_error=True),
    )
    body = request_body(request(Message("user", blocks)), ttl=None)
    assert json.dumps(body["messages"]) == json.dumps(
        [
            {
                "role": "user",
                "content": [
                    {"type": "tool_use", "id": "t", "name": "Read", "input": {"b": 1, "a": 2}},
                    {"type": "tool_result", "tool_use_id": "t", "content": "x", "is_error": True},
                ],
            }
        ]
    )


def test_foreign_blocks_keep_fields_and_order_but_lose_old_marks() -> None:
    raw = b'{"new":{"z":1,"a":null},"type":"new_kind","cache_control":{"type":"ephemeral"},"n":1e2}'
    body = request_body(request(Message("assistant", (block_from_json(raw),))), ttl=None)
    assert isinstance(body["messages"], list)
    (block,) = body["messages"][0]["content"]
    assert json.dumps(block) == '{"new": {"z": 1, "a": null}, "type": "new_kind", "n": 100.0}'


def test_system_is_a_list_without_blank_texts() -> None:
    body = request_body(request(system=("one", " ", "two")), ttl=None)
    assert body["system"] == [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    assert "system" not in request_body(request(system=("",)), ttl=None)
    assert "tools" not in request_body(request(tools=()), ttl=None)


@pytest.mark.parametrize(
    ("thinking", "sent"),
    [
        (ThinkingOff(), None),
        (ThinkingAdaptive(), {"type": "adaptive", "display": "summarized"}),
        (ThinkingBudget(1500), {"type": "enabled", "budget_tokens": 1500}),
        (ThinkingBudget(9000), {"type": "enabled", "budget_tokens": 1999}),
        (ThinkingBudget(1000), None),
    ],
)
def test_thinking_as_the_api_takes_it(thinking: object, sent: object) -> None:
    assert request_body(request(thinking=thinking, max_tokens=2000), ttl=None).get("thinking") == sent


@pytest.mark.parametrize(
    ("model", "effort", "sent"),
    [
        ("claude-sonnet-5-5", "low", {"effort": "low"}),
        ("claude-sonnet-5-5", None, None),
        ("claude-haiku-4-5", "low", None),
        ("somebody-elses-model", "low", {"effort": "low"}),
    ],
)
def test_effort_goes_only_where_it_is_taken(model: str, effort: str | None, sent: object) -> None:
    assert request_body(request(model=model, effort=effort), ttl=None).get("output_config") == sent


def test_event_with_lone_surrogates_is_readable() -> None:
    event = decode_object(rb'{"delta": {"text": "a\ud83d b \ud83d\ude00"}}')
    assert event == {"delta": {"text": "a\ufffd b \U0001f600"}}


@pytest.mark.parametrize("data", [b"", b"[1]", b"{", b'"x"', b"\xff", b"[" * 100_000])
def test_what_is_no_object_is_none(data: bytes) -> None:
    assert decode_object(data) is None
