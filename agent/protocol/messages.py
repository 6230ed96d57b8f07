"""Messages, who said them, and what the API counted for them."""

from typing import Literal, TypeAlias

from msgspec import Struct

from agent.protocol.blocks import Block, Text, ToolResult, ToolUse

Role: TypeAlias = Literal["user", "assistant", "system"]


class Message(Struct, frozen=True):
    """One message of a conversation; content is always a tuple of blocks."""

    role: Role
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The text blocks, joined by newlines; no thinking, no tool traffic."""
        return "\n".join(b.text for b in self.blocks if isinstance(b, Text))

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        """The calls in this message, in order."""
        return tuple(b for b in self.blocks if isinstance(b, ToolUse))

    @property
    def tool_results(self) -> tuple[ToolResult, ...]:
        """The results in this message, in order."""
        return tuple(b for b in self.blocks if isinstance(b, ToolResult))


def user_message(text: str) -> Message:
    """A user message with one text block."""
    return Message(role="user", blocks=(Text(text=text),))


class Usage(Struct, frozen=True):
    """Tokens of one response as the API reports them; input excludes what the cache read or wrote."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_creation: int = 0

    @property
    def prompt(self) -> int:
        """All tokens of the request."""
        return self.input + self.cache_read + self.cache_creation

    @property
    def context(self) -> int:
        """What the next request will carry because of this one: its prompt and its answer."""
        return self.prompt + self.output

    def record(self) -> dict[str, int]:
        """Under the API's own names."""
        return {
            "input_tokens": self.input,
            "output_tokens": self.output,
            "cache_read_input_tokens": self.cache_read,
            "cache_creation_input_tokens": self.cache_creation,
        }

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_creation=self.cache_creation + other.cache_creation,
        )
