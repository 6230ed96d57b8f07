"""Events become deltas and one reply."""

import pytest

from agent.anthropic_api.assemble import Assembler
from agent.anthropic_api.fields import JsonObject
from agent.protocol.blocks import Text, ToolUse
from agent.protocol.errors import StreamBroken
from agent.protocol.messages import Usage
from agent.protocol.model import Delta, TextPiece, ThinkingPiece, ToolPiece


def _start(usage: JsonObject | None = None) -> JsonObject:
    return {"type": "message_start", "message": {"id": "msg_1", "model": "m", "usage": usage or {}}}


def _block(index: int, **block: object) -> JsonObject:
    return {"type": "content_block_start", "index": index, "content_block": block}


def _delta(index: int, **delta: object) -> JsonObject:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _end(stop_reason: str | None, **usage: object) -> list[JsonObject]:
    return [{"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": usage}, {"type": "message_stop"}]


def _feed(*events: JsonObject) -> tuple[Assembler, list[Delta]]:
    assembler = Assembler()
    deltas = [delta for event in events if (delta := assembler.feed(event)) is not None]
    return assembler, deltas


def test_pieces_come_as_they_arrive_and_the_reply_is_whole() -> None:
    assembler, deltas = _feed(
        _start({"input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 1}),
        _block(0, type="thinking", thinking="", signature=""),
        _delta(0, type="thinking_delta", thinking="hm"),
        _delta(0, type="signature_delta", signature="s"),
        {"type": "content_block_stop", "index": 0},
        {"type": "ping"},
        _block(1, type="text", text=""),
        _delta(1, type="text_delta", text="Hello"),
        _block(2, type="tool_use", id="t", name="Read", input={}),
        _delta(2, type="input_json_delta", partial_json='{"p":1}'),
        {"type": "something_new"},
        *_end("tool_use", output_tokens=42),
    )
    assert deltas == [ThinkingPiece("hm"), TextPiece("Hello"), ToolPiece(2, "Read"), ToolPiece(2, "Read", 7)]
    reply = assembler.reply(request_id="req_1", duration=2.0)
    assert [type(block).__name__ for block in reply.blocks] == ["Thinking", "Text", "ToolUse"]
    assert (reply.message_id, reply.model, reply.stop_reason) == ("msg_1", "m", "tool_use")
    assert (reply.request_id, reply.duration) == ("req_1", 2.0)
    assert reply.usage == Usage(input=5, output=42, cache_read=100)


def test_stream_without_its_end_is_broken() -> None:
    assembler, _ = _feed(_start(), _block(0, type="text", text=""), _delta(0, type="text_delta", text="Hel"))
    with pytest.raises(StreamBroken, match="stopped in the middle"):
        assembler.reply()


def test_piece_of_a_block_that_never_began_is_broken() -> None:
    with pytest.raises(StreamBroken):
        _feed(_start(), _delta(3, type="text_delta", text="x"))


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "refusal"])
def test_call_that_the_end_cut_off_is_left_out(reason: str) -> None:
    assembler, _ = _feed(
        _start(),
        _block(0, type="text", text="Writing."),
        _block(1, type="tool_use", id="t", name="Write", input={}),
        _delta(1, type="input_json_delta", partial_json='{"content": "AAA'),
        *_end(reason),
    )
    reply = assembler.reply()
    assert reply.stop_reason == reason
    assert [type(block) for block in reply.blocks] == [Text]


def test_whole_calls_before_the_cut_stay() -> None:
    assembler, _ = _feed(
        _start(),
        _block(0, type="tool_use", id="a", name="List", input={}),
        _block(1, type="tool_use", id="b", name="Write", input={}),
        *_end("max_tokens"),
    )
    assert [block.id for block in assembler.reply().blocks if isinstance(block, ToolUse)] == ["a"]


def test_usage_is_unknown_when_nobody_counted() -> None:
    assert _feed(_start(), *_end("end_turn"))[0].reply().usage is None
    assert _feed(_start({"input_tokens": 0}), *_end("end_turn", output_tokens=7))[0].reply().usage is None


def test_absurd_counts_are_not_believed() -> None:
    started = _start({"input_tokens": 9, "cache_read_input_tokens": 10**400})
    assert _feed(started, *_end("end_turn", output_tokens=-3))[0].reply().usage == Usage(input=9)


def test_usage_at_the_end_does_not_wipe_what_the_start_said() -> None:
    assembler, _ = _feed(_start({"input_tokens": 9}), *_end("end_turn", input_tokens=0, output_tokens=3))
    assert assembler.reply().usage == Usage(input=9, output=3)


def test_usage_told_only_at_the_end_counts() -> None:
    assembler, _ = _feed(_start({"input_tokens": 0}), *_end("end_turn", input_tokens=11, output_tokens=3))
    assert assembler.reply().usage == Usage(input=11, output=3)


def test_empty_answer_has_no_blocks() -> None:
    reply = _feed(_start(), _block(0, type="text", text=""), *_end("end_turn"))[0].reply()
    assert reply.blocks == ()
