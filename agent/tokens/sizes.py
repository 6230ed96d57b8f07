"""Estimated sizes by class of content, so that each class can be corrected on its own."""

import math
from collections.abc import Iterable

from msgspec import Struct

from agent.protocol.blocks import Document, Image, ToolResult, ToolUse
from agent.protocol.messages import Message
from agent.tokens.counter import TokenCounter


class Sizes(Struct, frozen=True):
    """Tokens of prose, of tool traffic and of media; `spread` is the root of the sum of the squared block sizes.

    Errors of single blocks are independent, so the uncertainty of a sum grows with `spread`, not with the sum.
    """

    prose: float = 0.0
    tools: float = 0.0
    media: float = 0.0
    spread: float = 0.0

    @property
    def total(self) -> float:
        """All tokens."""
        return self.prose + self.tools + self.media

    def __add__(self, other: "Sizes") -> "Sizes":
        return Sizes(
            prose=self.prose + other.prose,
            tools=self.tools + other.tools,
            media=self.media + other.media,
            spread=math.hypot(self.spread, other.spread),
        )


def sizes_of(messages: Iterable[Message], counter: TokenCounter) -> Sizes:
    """The sizes of all blocks of `messages`, before any correction."""
    prose = tools = media = squares = 0.0
    for message in messages:
        for block in message.blocks:
            size = counter.block(block)
            squares += size * size
            if isinstance(block, ToolUse | ToolResult):
                tools += size
            elif isinstance(block, Image | Document):
                media += size
            else:
                prose += size
    return Sizes(prose=prose, tools=tools, media=media, spread=math.sqrt(squares))
