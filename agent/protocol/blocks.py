"""Content blocks of the Messages API: typed views that remember the API's own JSON and are replayed from it."""

from typing import TypeAlias

import msgspec
from msgspec import Struct

from agent.protocol.text import to_json


class BlockBase(Struct, frozen=True, tag_field="type", omit_defaults=True):
    """What all blocks share: `raw`, the JSON bytes the API sent, or empty for a block that we made.

    A block with `raw` goes back to the API from those bytes, so signatures and unknown fields survive (API: thinking is bound to history).
    """

    raw: bytes = msgspec.field(default=b"", name="-raw")


class Text(BlockBase, frozen=True, tag="text", kw_only=True):
    """Plain text; never blank in a request (the API refuses blank text)."""

    text: str


class Thinking(BlockBase, frozen=True, tag="thinking", kw_only=True):
    """Signed reasoning; replayed byte-exact or not at all."""

    thinking: str
    signature: str = ""


class RedactedThinking(BlockBase, frozen=True, tag="redacted_thinking", kw_only=True):
    """Encrypted reasoning; replayed byte-exact or not at all."""

    data: str


class ToolUse(BlockBase, frozen=True, tag="tool_use", kw_only=True):
    """A call the model asks for; `input` is always an object."""

    id: str
    name: str
    input: dict[str, object]


class Image(BlockBase, frozen=True, tag="image", kw_only=True):
    """A picture; `source` is the API's own object (base64 or url)."""

    source: dict[str, object]


class Document(BlockBase, frozen=True, tag="document", kw_only=True):
    """A PDF or text document; `source` is the API's own object."""

    source: dict[str, object]


class ToolResult(BlockBase, frozen=True, tag="tool_result", kw_only=True):
    """The answer to one ToolUse; stands first in the next user message (API invariant)."""

    tool_use_id: str
    content: str | list[Text | Image | Document] = ""
    is_error: bool = False

    @property
    def text(self) -> str:
        """What it says; pictures and documents are named, not shown."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(
            part.text if isinstance(part, Text) else f"[{type(part).__name__.lower()}]" for part in self.content
        )


class Opaque(BlockBase, frozen=True, tag="opaque", kw_only=True):
    """A block of a type we do not know: kept and replayed, never understood. `kind` is the API's type."""

    kind: str


Block: TypeAlias = Text | Thinking | RedactedThinking | ToolUse | ToolResult | Image | Document | Opaque

_KNOWN: dict[str, type[Block]] = {
    "text": Text,
    "thinking": Thinking,
    "redacted_thinking": RedactedThinking,
    "tool_use": ToolUse,
    "tool_result": ToolResult,
    "image": Image,
    "document": Document,
}


def block_from_json(raw: bytes) -> Block:
    """The block in `raw` (JSON bytes of one object), keeping `raw` for replay; unknown or odd shapes become Opaque.

    Raises msgspec.DecodeError when `raw` is not a JSON object with a string `type`.
    """
    head = msgspec.json.decode(raw, type=_Head)
    known = _KNOWN.get(head.type)
    if known is None:
        return Opaque(kind=head.type, raw=raw)
    try:
        view = msgspec.json.decode(raw, type=known)
    except msgspec.ValidationError:
        return Opaque(kind=head.type, raw=raw)
    return msgspec.structs.replace(view, raw=raw)


def block_to_json(block: Block) -> bytes:
    """The bytes to send or record for `block`: the API's own if it came from there, else ours, deterministically."""
    if block.raw:
        return block.raw
    if isinstance(block, Opaque):
        raise ValueError("an opaque block without its bytes cannot be replayed")
    return to_json(block)


class _Head(Struct):
    type: str
