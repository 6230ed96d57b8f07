"""Keys do not reach the record, whatever brought them in."""

import json

from agent.protocol.blocks import Text, ToolResult, block_from_json
from agent.protocol.messages import Message, user_message
from agent.transcript.masking import masked, masked_fields

KEY = "sk-ant-0123456789"


def test_text_and_results_are_masked_and_nothing_else_changes() -> None:
    said = Message("user", (Text(text=f"my key is {KEY}"), Text(text="hi")))
    assert masked(said, (KEY,)).blocks == (Text(text="my key is [masked]"), Text(text="hi"))
    result = ToolResult(tool_use_id="t1", content=f"KEY={KEY}", is_error=True)
    assert masked(Message("user", (result,)), (KEY,)).blocks == (
        ToolResult(tool_use_id="t1", content="KEY=[masked]", is_error=True),
    )
    parts = ToolResult(tool_use_id="t1", content=[Text(text=KEY)])
    assert masked(Message("user", (parts,)), (KEY,)).tool_results[0].content == [Text(text="[masked]")]


def test_what_the_api_sent_is_replayed_as_it_came() -> None:
    raw = json.dumps({"type": "text", "text": KEY}).encode()
    answer = Message("assistant", (block_from_json(raw),))
    assert masked(answer, (KEY,)) == answer
    assert masked(user_message(KEY), ()) == user_message(KEY)


def test_markers_are_masked() -> None:
    assert masked_fields({"lastPrompt": f"use {KEY}", "n": 1}, (KEY,)) == {"lastPrompt": "use [masked]", "n": 1}


def test_markers_are_masked_however_deep_a_key_stands() -> None:
    fields: dict[str, object] = {"pins": [{"text": f"use {KEY}"}], "texts": {"a:0": KEY}, "n": [1, None]}
    assert masked_fields(fields, (KEY,)) == {
        "pins": [{"text": "use [masked]"}],
        "texts": {"a:0": "[masked]"},
        "n": [1, None],
    }
