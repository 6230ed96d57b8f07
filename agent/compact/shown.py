"""What messages show the model, as plain text."""

from collections.abc import Sequence

from agent.protocol.blocks import Block, Text, ToolResult, ToolUse
from agent.transcript.entries import MessageEntry


def shown(view: Sequence[MessageEntry]) -> str:
    """Words, arguments of calls, and results; no thinking."""
    return "\n".join(_text(block) for entry in view for block in entry.message.blocks)


def _text(block: Block) -> str:
    match block:
        case Text() | ToolResult():
            return block.text
        case ToolUse():
            return str(block.input)
        case _:
            return ""
