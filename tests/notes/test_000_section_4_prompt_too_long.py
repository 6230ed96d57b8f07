"""Design note 000, section 4: truncateHeadForPTLRetry, when the request for a summary is itself too long."""

import pytest

from agent.compact.ptl_retry import (
    BLIND_SHARE,
    HEAD_MARKER,
    MAX_PTL_RETRIES,
    shorten_for_retry,
    truncate_head_for_ptl_retry,
)
from agent.protocol.blocks import Text, ToolResult, ToolUse
from agent.protocol.errors import PromptTooLong
from agent.protocol.messages import Message, user_message
from agent.tokens.messages import estimate_message
from agent.transcript.rounds import group_rounds

TOKENIZER = "v4.8"


def rounds(count: int, size: int = 400) -> list[Message]:
    """An opening, then API rounds: a call with its result, and what the model says of it."""
    messages = [user_message("the very first words")]
    for number in range(count):
        call = ToolUse(id=f"t{number}", name="Read", input={"file_path": f"/{number}"})
        result = ToolResult(tool_use_id=f"t{number}", content=f"RESULT-{number} " + "word " * size)
        messages += [Message("assistant", (call,)), Message("user", (result,))]
    return [*messages, Message("assistant", (Text(text="done"),))]


def size(messages) -> int:
    return sum(estimate_message(message, TOKENIZER) for message in messages)


def test_the_numbers_of_the_notes() -> None:
    assert MAX_PTL_RETRIES == 3
    assert 1 / BLIND_SHARE == 0.20


def test_no_call_is_parted_from_its_result() -> None:
    messages = rounds(12)
    for gap in (1, 500, 2_000, 5_000, None):
        kept = truncate_head_for_ptl_retry(messages, gap, TOKENIZER)
        assert kept is not None
        calls = {call.id for message in kept for call in message.tool_uses}
        results = {result.tool_use_id for message in kept for result in message.tool_results}
        assert calls == results


@pytest.mark.parametrize("gap", [1, 400, 1_500, 3_000])
def test_a_parsed_gap_drops_groups_old_enough_and_no_more(gap: int) -> None:
    messages = rounds(12)
    kept = truncate_head_for_ptl_retry(messages, gap, TOKENIZER)
    assert kept is not None
    tail = kept[1:]
    assert list(tail) == messages[-len(tail) :]
    freed = size(messages) - size(tail)
    largest = max(size(messages[at] for at in part) for part in group_rounds(messages))
    assert gap <= freed < gap + largest


@pytest.mark.parametrize("count", [5, 10, 20, 50])
def test_without_a_gap_a_fifth_goes(count: int) -> None:
    messages = rounds(count)
    groups = len(group_rounds(messages))
    kept = truncate_head_for_ptl_retry(messages, None, TOKENIZER)
    assert kept is not None
    assert groups - len(group_rounds(list(kept[1:]))) == max(1, groups // 5)


def test_the_head_is_a_synthetic_user_message_when_it_would_be_the_assistant() -> None:
    kept = truncate_head_for_ptl_retry(rounds(8), 1_000, TOKENIZER)
    assert kept is not None
    assert (kept[0].role, kept[0].text) == ("user", HEAD_MARKER)
    assert kept[1].role == "assistant"


def test_the_last_group_is_never_dropped() -> None:
    messages = rounds(6)
    kept = truncate_head_for_ptl_retry(messages, 10**9, TOKENIZER)
    assert kept is not None
    assert kept[-1] == messages[-1]
    assert truncate_head_for_ptl_retry(messages[:1], None, TOKENIZER) is None


@pytest.mark.parametrize(("used", "limit"), [(208_310, 200_000), (21_500, 20_000), (None, None)])
def test_huge_results_are_shortened_before_whole_rounds_go(used: int | None, limit: int | None) -> None:
    messages = rounds(3, size=30_000)
    kept = shorten_for_retry(messages, PromptTooLong("too long", used=used, limit=limit), TOKENIZER)
    assert kept is not None
    assert len(kept) == len(messages)
    assert "characters left out" in str(kept[2].tool_results[0].content)


def test_it_can_be_asked_again_until_nothing_more_can_go() -> None:
    messages: tuple[Message, ...] | None = tuple(rounds(30))
    sizes: list[int] = []
    while messages is not None:
        sizes.append(size(messages))
        messages = shorten_for_retry(messages, PromptTooLong("too long"), TOKENIZER)
    assert len(sizes) > MAX_PTL_RETRIES + 1
    assert sizes == sorted(set(sizes), reverse=True)
