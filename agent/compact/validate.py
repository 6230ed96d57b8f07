"""Whether an answer can serve as a summary at all; missing sections are never a reason to refuse."""

from agent.compact.format_summary import format_summary
from agent.protocol.blocks import Text, ToolUse
from agent.protocol.errors import SummaryRejected
from agent.protocol.model import Reply
from agent.tokens.features import estimate_text

SMALL_HISTORY = 2_000  # tokens; below it a nine-section summary may rightly be as long as what it replaces
WORTHWHILE = 0.9  # the summary, and what an automatic compaction comes to, must be at least 10 % smaller


def is_small(tokens: int, overhead: int) -> bool:
    """Whether a conversation of `tokens`, `overhead` of them system and tools, is so short that only its summary must be shorter."""
    return tokens <= SMALL_HISTORY + overhead


def validate_summary(reply: Reply, replaced: int, tokenizer: str, *, room: int) -> str:
    """The usable summary in `reply`, which is to replace `replaced` tokens and may have `room`; raises SummaryRejected with the reason."""
    if reply.stop_reason == "tool_use" or any(isinstance(block, ToolUse) for block in reply.blocks):
        raise SummaryRejected("The summariser called a tool instead of writing a summary.")
    if reply.stop_reason in ("max_tokens", "model_context_window_exceeded"):
        raise SummaryRejected("The summary was cut off before it was complete.")
    if reply.stop_reason == "refusal":
        raise SummaryRejected("The summariser refused to answer.")
    summary = format_summary(reply_text(reply))
    if not summary:
        raise SummaryRejected("The summary contained no text.")
    size = estimate_text(summary, tokenizer)
    if size > max(SMALL_HISTORY, WORTHWHILE * replaced):
        raise SummaryRejected(f"The summary did not shrink the conversation ({size:,} tokens for {replaced:,}).")
    if size > room:
        raise SummaryRejected(f"The summary is too long ({size:,} tokens, there is room for {room:,}).")
    return summary


def reply_text(reply: Reply) -> str:
    """The text blocks of `reply`, joined."""
    return "\n".join(block.text for block in reply.blocks if isinstance(block, Text))
