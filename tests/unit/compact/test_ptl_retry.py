"""Shortening a compaction request: results first, then the oldest rounds, never the last one."""

from agent.compact.ptl_retry import HEAD_MARKER, shorten_for_retry, slim_message, truncate_head_for_ptl_retry
from agent.protocol.blocks import Image, Text, Thinking, ToolResult, ToolUse
from agent.protocol.errors import PromptTooLong, RequestTooLarge
from agent.protocol.messages import Message, user_message
from agent.tokens.messages import estimate_message

TOKENIZER = "v4.8"


def _round(number: int, size: int = 400) -> tuple[Message, ...]:
    call = ToolUse(id=f"toolu_{number}", name="Bash", input={"command": f"step {number}"})
    return (
        Message(role="assistant", blocks=(Thinking(thinking="hm", signature="s"), call)),
        Message(role="user", blocks=(ToolResult(tool_use_id=call.id, content=f"r{number} " * size),)),
    )


def _history(rounds: int, size: int = 400) -> tuple[Message, ...]:
    return (user_message("do it"), *(message for n in range(rounds) for message in _round(n, size)))


def _over(gap: int) -> PromptTooLong:
    return PromptTooLong("too long", used=200_000 + gap, limit=200_000)


def test_a_gap_that_results_can_cover_drops_no_round() -> None:
    history = _history(4, size=8_000)
    shorter = shorten_for_retry(history, _over(2_000), TOKENIZER)
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


def test_without_a_gap_shortened_results_are_enough_when_they_were_a_fifth() -> None:
    history = _history(4, size=8_000)
    shorter = shorten_for_retry(history, PromptTooLong("too long"), TOKENIZER)
    assert shorter is not None
    assert len(shorter) == len(history)


def test_one_giant_round_is_shortened_though_it_cannot_be_dropped() -> None:
    history = _history(1, size=40_000)
    for error in (PromptTooLong("too long"), _over(10_000_000), RequestTooLarge("too many bytes")):
        shorter = shorten_for_retry(history, error, TOKENIZER)
        assert shorter is not None
        assert len(shorter) == len(history)
        assert shorten_for_retry(shorter, error, TOKENIZER) is None


def test_too_many_bytes_cost_the_pictures_and_no_words() -> None:
    image = Image(source={"type": "base64", "media_type": "image/png", "data": "A" * 400_000})
    history = (*_history(3), Message(role="assistant", blocks=(Text(text="ok"),)), Message("user", (image,)))
    shorter = shorten_for_retry(history, RequestTooLarge("too many bytes"), TOKENIZER)
    assert shorter is not None
    assert shorter[0].text == "do it"
    assert shorter[-1].text == "[image left out]"


def test_the_api_s_count_and_ours_are_compared_as_shares() -> None:
    history = _history(4, size=8_000)
    as_the_api_counts = 3 * sum(estimate_message(message, TOKENIZER) for message in history)
    error = PromptTooLong("too long", used=as_the_api_counts, limit=as_the_api_counts // 2)
    shorter = shorten_for_retry(history, error, TOKENIZER)
    assert shorter is not None
    assert len(shorter) == len(history)


def test_long_arguments_and_pastes_are_cut_too() -> None:
    write = ToolUse(id="t", name="Write", input={"file_path": "/p/a.txt", "content": "x" * 90_000})
    slim = slim_message(Message(role="assistant", blocks=(write, Text(text="y" * 900_000))))
    assert slim.tool_uses[0].input["file_path"] == "/p/a.txt"
    assert len(str(slim.tool_uses[0].input["content"])) < 3_000
    assert len(slim.text) < 70_000
