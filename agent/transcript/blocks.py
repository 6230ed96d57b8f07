"""Which call a block makes or answers, also when its shape is one we cannot fully read."""

import msgspec
from msgspec import Struct

from agent.protocol.blocks import Block, Opaque, ToolResult, ToolUse


class _Ids(Struct):
    id: str = ""
    tool_use_id: str = ""


def call_id(block: Block) -> str:
    """The id of the tool call in `block`, or empty."""
    if isinstance(block, ToolUse):
        return block.id
    return _ids(block).id if isinstance(block, Opaque) and block.kind == "tool_use" else ""


def answered_id(block: Block) -> str:
    """The id of the call that `block` is the result of, or empty."""
    if isinstance(block, ToolResult):
        return block.tool_use_id
    return _ids(block).tool_use_id if isinstance(block, Opaque) and block.kind == "tool_result" else ""


def _ids(block: Opaque) -> _Ids:
    try:
        return msgspec.json.decode(block.raw, type=_Ids)
    except msgspec.ValidationError:
        return _Ids()
