"""The size of blocks and messages: one rule for each kind of block."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias, assert_never

import msgspec

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
from agent.tokens.features import estimate_text
from agent.tokens.media import PDF_PAGE, image_tokens, pdf_tokens
from agent.tokens.padded import padded_estimate

BLOCK_OVERHEAD = 5  # what the API puts around a block

CountText: TypeAlias = Callable[[str], int]


def estimate_message(message: Message, tokenizer: str = "v4.8") -> int:
    """Tokens of a message. Not memoised: a session's own counting goes through `TokenCounter`."""
    return sum(estimate_block(block, tokenizer) for block in message.blocks)


def estimate_block(block: Block, tokenizer: str = "v4.8") -> int:
    """Tokens of a block with its overhead."""
    return count_block(block, partial(estimate_text, tokenizer=tokenizer))


def count_block(block: Block, count: CountText) -> int:
    """Tokens of a block with its overhead, its text counted by `count`."""
    return BLOCK_OVERHEAD + _content(block, count)


def _content(block: Block, count: CountText) -> int:
    match block:
        case Text(text=text):
            return count(text)
        case Thinking(thinking=thinking, signature=signature):
            # Where the API hides the thinking, the signature carries it sealed.
            return count(thinking) if thinking else padded_estimate(len(signature))
        case RedactedThinking(data=data):
            return padded_estimate(len(data))
        case ToolUse(name=name, input=arguments):
            return count(name) + count(_json(arguments))
        case ToolResult(content=content):
            return count(content) if isinstance(content, str) else sum(count_block(part, count) for part in content)
        case Image(source=source):
            return image_tokens(source)
        case Document(source=source):
            return _document(source, count)
        case Opaque(raw=raw):
            return padded_estimate(len(raw))
        case unreachable:
            assert_never(unreachable)


def _document(source: Mapping[str, object], count: CountText) -> int:
    match source.get("type"):
        case "base64":
            return pdf_tokens(source)
        case "text":
            data = source.get("data")
            return count(data) if isinstance(data, str) else 0
        case "content":
            return count(_json(source.get("content")))
        case _:
            return PDF_PAGE  # by url or file id: at least a page


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode("utf-8", "replace")
