"""No key reaches the record, and so none reaches the API: whatever brought it in (a prompt, a mention, memory, a restored file), it is masked here."""

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from agent.process.secrets import mask_text
from agent.protocol.blocks import Block, Text, ToolResult
from agent.protocol.messages import Message

B = TypeVar("B", bound=Block)


def masked(message: Message, secrets: Sequence[str]) -> Message:
    """`message` without the literal `secrets` in its text and tool results; a block with the API's own bytes stays as it came."""
    if not secrets:
        return message
    return replace(message, blocks=tuple(_masked_block(block, secrets) for block in message.blocks))


def masked_fields(fields: dict[str, object], secrets: Sequence[str]) -> dict[str, object]:
    """A marker's fields, all texts in them without the literal `secrets`."""
    return {name: _masked_field(value, secrets) for name, value in fields.items()} if secrets else fields


def _masked_field(value: object, secrets: Sequence[str]) -> object:
    match value:
        case str():
            return mask_text(value, secrets)
        case list() | tuple():
            return [_masked_field(part, secrets) for part in value]
        case dict():
            return {name: _masked_field(part, secrets) for name, part in value.items()}
        case _:
            return value


def _masked_block(block: B, secrets: Sequence[str]) -> B:
    if block.raw:
        return block
    if isinstance(block, Text):
        return replace(block, text=mask_text(block.text, secrets))
    if isinstance(block, ToolResult):
        content = block.content
        parts = (
            mask_text(content, secrets) if isinstance(content, str) else [_masked_block(p, secrets) for p in content]
        )
        return replace(block, content=parts)
    return block
