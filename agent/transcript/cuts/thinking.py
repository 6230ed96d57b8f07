"""Thinking in the tool loop that is still running belongs to the whole loop (API: the latest turn's thinking, unbroken)."""

from collections.abc import Sequence

from agent.protocol.blocks import RedactedThinking, Thinking
from agent.protocol.messages import Message


def outside_thinking_loops(messages: Sequence[Message]) -> set[int]:
    """Cuts up to the prompt that the last turn answers; everywhere when that turn holds no thinking."""
    start = _last_prompt(messages)
    thinks = any(
        isinstance(block, Thinking | RedactedThinking) for message in messages[start:] for block in message.blocks
    )
    return set(range(1, start + 1 if thinks else len(messages)))


def _last_prompt(messages: Sequence[Message]) -> int:
    """Where the last message of the user stands that answers no call."""
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].role == "user" and not messages[at].tool_results:
            return at
    return 0
