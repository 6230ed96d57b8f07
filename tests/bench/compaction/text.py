"""What a request shows the model, as text; and the names in a text that are hard to say otherwise."""

import re
from collections.abc import Sequence

from agent.compact.ledger.normalise import normalised
from agent.protocol.blocks import Block, Text, ToolResult, ToolUse
from agent.protocol.messages import Message

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[./-][A-Za-z0-9_]+)*")
_PARTS = re.compile(r"[./-]")


def shown(messages: Sequence[Message]) -> str:
    """All that the model reads in `messages`."""
    return "\n".join(_block(block) for message in messages for block in message.blocks)


def spoken(messages: Sequence[Message]) -> str:
    """What stands in `messages` as said by the user, or by us in the user's place: no results, no answers."""
    return "\n".join(message.text for message in messages if message.role == "user")


def stands(keys: Sequence[str], text: str) -> bool:
    """Whether all `keys` are in `text`, which is normalised."""
    return all(normalised(key) in text for key in keys)


def names(text: str) -> frozenset[str]:
    """Identifiers and paths: words with an underscore, a slash, a dot or a capital inside, and the parts of paths that are such."""
    found: set[str] = set()
    for word in _NAME.findall(text):
        parts = [part for part in _PARTS.split(word) if part != word]
        found.update(name for name in (word, *parts) if _is_name(name, whole=name is word))
    return frozenset(found)


def _is_name(word: str, *, whole: bool) -> bool:
    if len(word) < 4:
        return False
    inner = word[1:-1]
    return (
        "_" in word.strip("_")
        or "/" in word
        or (whole and "." in inner)
        or any(c.isupper() for c in inner if word[0].islower() or not word.isupper())
    )


def _block(block: Block) -> str:
    match block:
        case Text():
            return block.text
        case ToolUse():
            return "\n".join(str(value) for value in block.input.values())
        case ToolResult():
            return block.text
        case _:
            return ""
