"""Whatever the API can send comes back out of the stream as the same JSON, however it is cut."""

import json
from collections.abc import AsyncIterator

from hypothesis import given
from hypothesis import strategies as st

from agent.anthropic_api.assemble import Assembler
from agent.anthropic_api.fields import decode_object
from agent.anthropic_api.sse import event_data
from agent.protocol.model import TextPiece
from agent.rehearsal.sse import Part, stream

_words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).filter(lambda text: bool(text.strip()))
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_inputs = st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), _json, max_size=4)
_blocks = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, _words),
    st.builds(lambda text, seal: {"type": "thinking", "thinking": text, "signature": seal}, _words, _words),
    st.builds(lambda data: {"type": "redacted_thinking", "data": data}, _words),
    st.builds(lambda name, given: {"type": "tool_use", "id": "t", "name": name, "input": given}, _words, _inputs),
)


def _bytes(blocks: list[dict[str, object]], piece: int, *, spaced: bool) -> bytes:
    parts = [Part(block, json.dumps(block.get("input"), indent=1 if spaced else None)) for block in blocks]
    message = {
        "id": "msg_1",
        "model": "m",
        "content": blocks,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }
    return b"".join(event.data for event in stream(message, parts, piece))


async def _chunks(data: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


@given(st.lists(_blocks, max_size=4), st.integers(1, 30), st.integers(1, 200), st.booleans())
async def test_blocks_survive_the_stream(blocks: list[dict[str, object]], piece: int, chunk: int, spaced: bool) -> None:
    assembler, seen = Assembler(), ""
    async for data in event_data(_chunks(_bytes(blocks, piece, spaced=spaced), chunk)):
        event = decode_object(data)
        assert event is not None
        delta = assembler.feed(event)
        seen += delta.text if isinstance(delta, TextPiece) else ""
    received = [block.raw for block in assembler.reply().blocks]
    assert [json.dumps(json.loads(raw)) for raw in received] == [json.dumps(block) for block in blocks]
    assert not any(b"\n" in raw for raw in received)
    assert seen == "".join(str(block["text"]) for block in blocks if block["type"] == "text")
