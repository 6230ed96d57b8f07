"""Blocks put together from pieces keep the API's JSON; what is cut or malformed never becomes a call."""

import json

import pytest

from agent.anthropic_api.fields import JsonObject
from agent.anthropic_api.open_block import OpenBlock, input_json
from agent.protocol.blocks import Block, Opaque, RedactedThinking, Text, Thinking, ToolUse
from agent.protocol.errors import StreamBroken


def _finish(start: JsonObject, *deltas: JsonObject, cut: bool = False) -> Block | None:
    block = OpenBlock(start)
    for delta in deltas:
        block.add(delta)
    return block.finish(cut=cut)


def _call(*parts: str, cut: bool = False) -> Block | None:
    start: JsonObject = {"type": "tool_use", "id": "toolu_1", "name": "Write", "input": {}}
    return _finish(start, *({"type": "input_json_delta", "partial_json": part} for part in parts), cut=cut)


def test_thinking_keeps_field_order_and_exact_text() -> None:
    thought = "a\u2028b  \u00e9 \U0001f600 "
    block = _finish(
        {"type": "thinking", "signature": "", "thinking": "", "extra": {"b": 1, "a": None}},
        {"type": "thinking_delta", "thinking": thought[:4]},
        {"type": "thinking_delta", "thinking": thought[4:]},
        {"type": "signature_delta", "signature": "sig" * 700},
    )
    assert isinstance(block, Thinking)
    assert (block.thinking, block.signature) == (thought, "sig" * 700)
    expected = {"type": "thinking", "signature": "sig" * 700, "thinking": thought, "extra": {"b": 1, "a": None}}
    assert block.raw == json.dumps(expected, ensure_ascii=False, separators=(",", ":")).encode()


def test_redacted_thinking_is_kept_whole() -> None:
    block = _finish({"type": "redacted_thinking", "data": "abc="})
    assert isinstance(block, RedactedThinking)
    assert block.raw == b'{"type":"redacted_thinking","data":"abc="}'


def test_call_input_keeps_its_numbers_and_key_order() -> None:
    block = _call('{"z": 1.0, ', '"a": 1e2,\n "big": 123456789012345678901234567890}')
    assert isinstance(block, ToolUse)
    assert block.input == {"z": 1.0, "a": 100.0, "big": 123456789012345678901234567890}
    assert b'"input":{"z":1.0,"a":1e2,"big":123456789012345678901234567890}' in block.raw
    assert b"\n" not in block.raw


def test_call_without_input_has_an_empty_one() -> None:
    block = _call("")
    assert isinstance(block, ToolUse)
    assert block.input == {}


def test_lone_surrogate_in_a_call_is_replaced() -> None:
    block = _call('{"text": "a\\ud83d b \\ud83d\\ude00"}')
    assert isinstance(block, ToolUse)
    assert block.input == {"text": "a\ufffd b \U0001f600"}


@pytest.mark.parametrize("parts", [('{"content": "AAA',), ('{"content": "A"',), ("",), ()])
def test_cut_call_is_left_out(parts: tuple[str, ...]) -> None:
    assert _call(*parts, cut=True) is None


def test_whole_call_of_a_cut_answer_stays() -> None:
    assert isinstance(_call('{"content": "AAA"}', cut=True), ToolUse)


NO_OBJECT = ['{"a": ', "[1]", '"text"', "{'a': 1}", "null", "{} {}", "[" * 100_000]
NO_NUMBER = ['{"limit": NaN}', '{"limit": -Infinity}', '{"limit": 1e999}']


@pytest.mark.parametrize("text", NO_OBJECT + NO_NUMBER)
def test_malformed_call_is_an_error_and_never_a_guess(text: str) -> None:
    with pytest.raises(StreamBroken, match="Write arrived malformed"):
        _call(text)


def test_call_without_an_id_is_malformed() -> None:
    with pytest.raises(StreamBroken):
        _finish({"type": "tool_use", "name": "Read", "input": {}})


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_blank_text_is_left_out(text: str) -> None:
    assert _finish({"type": "text", "text": ""}, {"type": "text_delta", "text": text}) is None


def test_unsigned_thinking_is_left_out_only_when_cut() -> None:
    start: JsonObject = {"type": "thinking", "thinking": "", "signature": ""}
    delta: JsonObject = {"type": "thinking_delta", "thinking": "half"}
    assert _finish(start, delta, cut=True) is None
    assert isinstance(_finish(start, delta), Thinking)


def test_citations_are_listed() -> None:
    block = _finish(
        {"type": "text", "text": "", "citations": None},
        {"type": "citations_delta", "citation": {"n": 1}},
        {"type": "text_delta", "text": "So it is."},
        {"type": "citations_delta", "citation": {"n": 2}},
    )
    assert isinstance(block, Text)
    assert json.loads(block.raw) == {"type": "text", "text": "So it is.", "citations": [{"n": 1}, {"n": 2}]}


def test_block_of_an_unknown_type_is_kept_with_its_pieces() -> None:
    block = _finish(
        {"type": "compaction", "content": None, "signature": "s"},
        {"type": "compaction_delta", "content": "sum"},
        {"type": "compaction_delta", "content": "mary", "tool_changes": []},
    )
    assert isinstance(block, Opaque)
    assert block.raw == b'{"type":"compaction","content":"summary","signature":"s","tool_changes":[]}'


def test_block_without_a_type_is_left_out() -> None:
    assert _finish({}) is None


def test_input_json_accepts_only_one_whole_object() -> None:
    assert input_json(' {"a" : [1, 2]} ') == b'{"a":[1,2]}'
    assert input_json("{}x") is None
