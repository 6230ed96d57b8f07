"""Counting tokens with a cheap, deterministic estimator, which tests can predict."""

# One token per 3.3 UTF-8 bytes of text, rounded up per block (a Chinese character is about 0.9 token); tool inputs and
# schemas are counted as compact JSON; signatures count nothing.

import math

import msgspec

from agent.rehearsal.wire import Json, as_blocks, as_object, as_text, kind

BYTES_PER_TOKEN = 3.3
PER_MESSAGE = 4
PER_IMAGE = 1_600
PER_PDF = 3_000


def text_tokens(text: str) -> int:
    """Tokens of some text."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return math.ceil(size / BYTES_PER_TOKEN)


def json_tokens(value: object) -> int:
    """Tokens of a JSON value written compactly."""
    return math.ceil(len(msgspec.json.encode(value)) / BYTES_PER_TOKEN)


def tool_tokens(tool: Json) -> int:
    """Tokens of one tool definition."""
    return json_tokens({key: value for key, value in tool.items() if key != "cache_control"})


def block_tokens(block: Json) -> int:
    """Tokens of one content block, in a request or in an answer."""
    match kind(block):
        case "text":
            return text_tokens(as_text(block.get("text")))
        case "thinking":
            return text_tokens(as_text(block.get("thinking")))
        case "redacted_thinking":
            return text_tokens(as_text(block.get("data"))) // 2
        case "tool_use":
            return text_tokens(as_text(block.get("name"))) + json_tokens(block.get("input"))
        case "tool_result":
            return 2 + sum(block_tokens(part) for part in as_blocks(block.get("content")))
        case "compaction":
            return text_tokens(as_text(block.get("content")))
        case "image":
            return PER_IMAGE
        case "document":
            source = as_object(block.get("source"))
            return text_tokens(as_text(source.get("data"))) if source.get("type") == "text" else PER_PDF
        case _:
            return json_tokens(block)
