"""Shortening a compaction request: results first, then the oldest rounds, never the last one."""

from agent.compact.ptl_retry import HEAD_MARKER, shorten_for_retry, slim_message, truncate_head_for_ptl_retry
from agent.protocol.blocks import Image, Text, Thinking, ToolResult, ToolUse
from agent.protocol.messages import Message, user_message

TOKENIZER = "v4.8"


def _round(number: int, size: int = 400) -> tuple[Message, ...]:
    call = ToolUse(id=f"toolu_{number}", name="Bash", input={"command": f"step {number}"})
    return (
        Message(role="assistant", blocks=(Thinking(thinking="hm", signature="s"), call)),
        Message(role="user", blocks=(ToolResult(tool_use_id=call.id, content=f"r{number} " * size),)),
    )


def _history(rounds: int, size: int = 400) -> tuple[Message, ...]:
    return (user_message("do it"), *(message for n in range(rounds) for message in _round(n, size)))


def test_a_gap_that_results_can_cover_drops_no_round() -> None:
    history = _history(4, size=8_000)
    shorter = shorten_for_retry(history, 2_000, TOKENIZER)
    assert shorter is not None
    assert len(shorter) == len(history)
    assert shorter[0].text == "do it"


def test_without_a_gap_a_fifth_of_the_rounds_goes() -> None:
    history = _history(10)
    shorter = truncate_head_for_ptl_retry(history, None, TOKENIZER)
    assert shorter is not None
    assert shorter[0].text == HEAD_MARKER
    assert len(shorter) < len(history)
    assert shorter[-1] == history[-1]


def test_a_head_that_would_be_an_assistant_gets_a_user_marker() -> None:
    shorter = truncate_head_for_ptl_retry(_history(5), 100, TOKENIZER)
    assert shorter is not None
    assert shorter[0] == user_message(HEAD_MARKER)
    assert shorter[1].role == "assistant"


def test_a_gap_larger_than_everything_leaves_the_last_round() -> None:
    history = _history(5)
    shorter = truncate_head_for_ptl_retry(history, 10_000_000, TOKENIZER)
    assert shorter is not None
    assert shorter[-2:] == history[-2:]


def test_one_round_cannot_be_dropped() -> None:
    assert truncate_head_for_ptl_retry((user_message("only"),), None, TOKENIZER) is None


def test_slimming_drops_thinking_and_media_and_never_leaves_an_empty_message() -> None:
    image = Image(source={"type": "base64", "media_type": "image/png", "data": "AAAA"})
    assert slim_message(Message(role="user", blocks=(image,))).text == "[image left out]"
    only_thinking = Message(role="assistant", blocks=(Thinking(thinking="hm", signature="s"),))
    assert slim_message(only_thinking).blocks == (Text(text="[left out]"),)
