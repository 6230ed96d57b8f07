"""Where tokens come from: the six sources of design note 000 section 1, messages split by kind."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import assert_never

import msgspec
from msgspec import Struct

from agent.protocol.blocks import (
    Block,
    Document,
    Image,
    Opaque,
    RedactedThinking,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from agent.protocol.messages import Message
from agent.protocol.model import ToolSpec
from agent.tokens.counter import TokenCounter


class Source(StrEnum):
    """The rows of /context, in their order."""

    SYSTEM_PROMPT = "System prompt"
    SYSTEM_CONTEXT = "System context"
    TOOLS = "System tools"
    MEMORY = "Memory files"
    USER = "User messages"
    ASSISTANT = "Assistant messages"
    THINKING = "Thinking"
    TOOL_CALLS = "Tool calls"
    TOOL_RESULTS = "Tool results"
    MEDIA = "Images and documents"
    ATTACHMENTS = "Attachments"


class MemoryText(Struct, frozen=True):
    """A memory file as the model reads it."""

    path: str
    text: str


class Contents(Struct, frozen=True, kw_only=True):
    """All that a request carries.

    `messages` is the whole view. `system_context` and `memory` are texts that stand inside user messages of it, `attachments` are
    messages of it: they get rows of their own and are not counted twice. What is in `unlisted` messages of it is no item by itself: memory
    files are, and what is not on record yet cannot be edited. `names` are those of texts that nobody typed, by (message, block).
    """

    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    messages: Sequence[Message]
    system_context: str = ""
    memory: tuple[MemoryText, ...] = ()
    attachments: Sequence[Message] = ()
    unlisted: Sequence[Message] = ()
    names: Mapping[tuple[int, int], str] = {}


def source_sizes(contents: Contents, counter: TokenCounter) -> dict[Source, int]:
    """Estimated tokens by source; every source has a row."""
    sizes = dict.fromkeys(Source, 0)
    sizes[Source.SYSTEM_PROMPT] = sum(counter.text(text) for text in contents.system)
    sizes[Source.TOOLS] = sum(tool_size(tool, counter) for tool in contents.tools)
    attached = {id(message) for message in contents.attachments}
    for message in contents.messages:
        for block in message.blocks:
            source = Source.ATTACHMENTS if id(message) in attached else source_of(block, message)
            sizes[source] += counter.block(block)
    sizes[Source.SYSTEM_CONTEXT] = counter.text(contents.system_context)
    sizes[Source.MEMORY] = sum(counter.text(file.text) for file in contents.memory)
    inside = sizes[Source.SYSTEM_CONTEXT] + sizes[Source.MEMORY]
    sizes[Source.USER] = max(0, sizes[Source.USER] - inside)
    return sizes


def source_of(block: Block, message: Message) -> Source:
    """The row of a block that is no attachment."""
    match block:
        case Text() | Opaque():
            return Source.ASSISTANT if message.role == "assistant" else Source.USER
        case Thinking() | RedactedThinking():
            return Source.THINKING
        case ToolUse():
            return Source.TOOL_CALLS
        case ToolResult():
            return Source.TOOL_RESULTS
        case Image() | Document():
            return Source.MEDIA
        case unreachable:
            assert_never(unreachable)


def tool_size(tool: ToolSpec, counter: TokenCounter) -> int:
    """Estimated tokens of a tool's definition."""
    schema = msgspec.json.encode([tool.name, tool.description, tool.input_schema])
    return counter.text(schema.decode("utf-8", "replace"))


def overhead_of(system: Iterable[str], tools: Iterable[ToolSpec], counter: TokenCounter) -> int:
    """Estimated tokens of system prompt and tool definitions: what no compaction can shrink."""
    return sum(counter.text(text) for text in system) + sum(tool_size(tool, counter) for tool in tools)
