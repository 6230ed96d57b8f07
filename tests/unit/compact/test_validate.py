"""An answer that is no summary is refused with the reason; one without all nine sections is not."""

import pytest

from agent.compact.validate import validate_summary
from agent.protocol.blocks import Block, Text, Thinking, ToolUse
from agent.protocol.errors import SummaryRejected
from agent.protocol.model import Reply

TOKENIZER = "v4.8"


def _reply(*blocks: Block, stop_reason: str = "end_turn") -> Reply:
    return Reply(message_id="m", model="x", blocks=blocks, stop_reason=stop_reason, usage=None)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (_reply(ToolUse(id="t", name="Bash", input={}), Text(text="<summary>x</summary>")), "called a tool"),
        (_reply(Thinking(thinking="hm", signature="s")), "contained no text"),
        (_reply(Text(text="<analysis>only</analysis>")), "contained no text"),
        (_reply(Text(text=" \n")), "contained no text"),
        (_reply(), "contained no text"),
        (_reply(Text(text="<summary>half"), stop_reason="max_tokens"), "cut off"),
        (_reply(Text(text="I cannot"), stop_reason="refusal"), "refused"),
        (_reply(Text(text="<summary>" + "word " * 12_000 + "</summary>")), "did not shrink"),
    ],
)
def test_refuses(reply: Reply, reason: str) -> None:
    with pytest.raises(SummaryRejected, match=reason):
        validate_summary(reply, 10_000, TOKENIZER, room=20_000)


def test_takes_a_summary_without_sections() -> None:
    assert (
        validate_summary(_reply(Text(text="We renamed a to b.")), 10_000, TOKENIZER, room=20_000)
        == "We renamed a to b."
    )


def test_a_small_history_may_have_a_summary_of_its_own_size() -> None:
    text = "word " * 500
    assert (
        validate_summary(_reply(Text(text=f"<summary>{text}</summary>")), 400, TOKENIZER, room=20_000) == text.strip()
    )


def test_a_small_history_does_not_make_a_large_summary_right() -> None:
    with pytest.raises(SummaryRejected, match="did not shrink"):
        validate_summary(_reply(Text(text="word " * 5_000)), 400, TOKENIZER, room=20_000)


def test_a_summary_that_would_refill_the_context_is_told_its_room() -> None:
    with pytest.raises(SummaryRejected, match="there is room for 1,000"):
        validate_summary(_reply(Text(text="word " * 2_500)), 100_000, TOKENIZER, room=1_000)


def test_a_stop_for_a_tool_is_a_tool_call_even_without_the_block() -> None:
    with pytest.raises(SummaryRejected, match="called a tool"):
        validate_summary(_reply(Text(text="<summary>x</summary>"), stop_reason="tool_use"), 400, TOKENIZER, room=9_000)
