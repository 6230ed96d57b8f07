"""A picture or document stays with the answer that has looked at it."""

from collections.abc import Sequence

from agent.protocol.blocks import Block, Document, Image, ToolResult
from agent.protocol.messages import Message


def with_its_answer(messages: Sequence[Message]) -> set[int]:
    """Cuts except those right after a message with media."""
    return {at for at in range(1, len(messages)) if not any(_is_media(block) for block in messages[at - 1].blocks)}


def _is_media(block: Block) -> bool:
    if isinstance(block, ToolResult) and not isinstance(block.content, str):
        return any(isinstance(part, Image | Document) for part in block.content)
    return isinstance(block, Image | Document)
