"""One request in normal form: its model, messages as blocks, and the ordered pieces that counting, caching and signing share."""

import hashlib
from collections.abc import Iterator
from functools import cached_property

import msgspec

from agent.rehearsal.models import ModelSpec
from agent.rehearsal.usage import PER_MESSAGE, block_tokens, tool_tokens
from agent.rehearsal.wire import Json, as_blocks, as_list, as_object, as_text, kind, objects

THINKING = ("thinking", "redacted_thinking")


class Message(msgspec.Struct, frozen=True):
    """A message with its content as blocks; `index` is its place in the array that was sent."""

    role: str
    blocks: tuple[Json, ...]
    index: int


class Piece(msgspec.Struct, frozen=True):
    """A tool, system block or message block: canonical bytes without cache marks, its tokens, its cache mark if any."""

    area: str
    kind: str
    content: bytes
    tokens: int
    mark: Json | None
    message: int = -1
    block: int = -1


class Prompt:
    """A request whose JSON was readable. Nothing in it is known to be legal; wrong shapes read as empty."""

    def __init__(self, body: Json, headers: dict[str, str], model: ModelSpec, messages: list[Message] | None = None):
        self.body = body
        self.headers = headers
        self.model = model
        self.betas = frozenset(name.strip() for name in headers.get("anthropic-beta", "").split(",") if name.strip())
        self.version = headers.get("anthropic-version", "")
        self.tools = objects(body.get("tools"))
        self.system = as_blocks(body.get("system"))
        self.messages = read_messages(body) if messages is None else messages

    def with_messages(self, messages: list[Message]) -> "Prompt":
        """The same request over other messages (what is left after drops, edits, compaction)."""
        return Prompt(self.body, self.headers, self.model, messages)

    @property
    def thinking(self) -> Json:
        """The `thinking` parameter."""
        return as_object(self.body.get("thinking"))

    @property
    def thinks(self) -> bool:
        """Whether thinking is on: asked for, or always on for this model."""
        return self.thinking.get("type") in ("adaptive", "enabled") or "disabled" not in self.model.thinking

    @cached_property
    def pieces(self) -> list[Piece]:
        """Everything the model reads, in the API's order: tools, system, messages."""
        return [*self._tool_pieces(), *self._system_pieces(), *self._message_pieces()]

    @cached_property
    def tokens(self) -> int:
        """Tokens of the whole prompt."""
        return sum(piece.tokens for piece in self.pieces)

    @property
    def last_user_text(self) -> str:
        """The text of the last user message; empty when it holds only results."""
        for message in reversed(self.messages):
            if message.role == "user":
                return "\n".join(as_text(block.get("text")) for block in message.blocks if kind(block) == "text")
        return ""

    @cached_property
    def root(self) -> bytes:
        """The digest of tools and system, where the chain of digests over the messages begins."""
        digest = hashlib.blake2b(digest_size=16)
        for piece in self.pieces:
            if piece.area != "messages":
                digest.update(piece.area.encode() + b"\0" + piece.content + b"\0")
        return digest.digest()

    def _tool_pieces(self) -> Iterator[Piece]:
        for tool in self.tools:
            yield Piece("tools", "tool", canonical(tool), tool_tokens(tool), mark_of(tool))

    def _system_pieces(self) -> Iterator[Piece]:
        for block in self.system:
            yield Piece("system", kind(block), canonical(block), block_tokens(block), mark_of(block))

    def _message_pieces(self) -> Iterator[Piece]:
        for message in self.messages:
            for place, block in enumerate(message.blocks):
                content = message.role.encode() + b":" + canonical(block)
                tokens = block_tokens(block) + (PER_MESSAGE if place == 0 else 0)
                yield Piece("messages", kind(block), content, tokens, mark_of(block), message.index, place)


def read_messages(body: Json) -> list[Message]:
    """The request's messages in normal form."""
    return [
        Message(as_text(message.get("role")), tuple(as_blocks(message.get("content"))), index)
        for index, message in enumerate(objects(body.get("messages")))
    ]


def canonical(block: Json) -> bytes:
    """A block's bytes for comparing: key order, nulls, cache marks and the string shorthand make no difference."""
    return msgspec.json.encode(_plain(block), order="sorted")


def _plain(block: Json) -> Json:
    plain = {key: value for key, value in block.items() if value is not None and key != "cache_control"}
    content = plain.get("content")
    if isinstance(content, str) and kind(block) == "tool_result":
        plain["content"] = [{"type": "text", "text": content}]
    elif isinstance(content, list):
        plain["content"] = [_plain(as_object(part)) for part in as_list(content)]
    return plain


def chain(digest: bytes, content: bytes) -> bytes:
    """The next digest of the chain."""
    return hashlib.blake2b(digest + content, digest_size=16).digest()


def mark_of(block: Json) -> Json | None:
    """A block's `cache_control`, its own or that of the last marked part of a result."""
    mark = block.get("cache_control")
    if mark is not None:
        return as_object(mark)
    parts = objects(block.get("content")) if kind(block) == "tool_result" else []
    return next((as_object(part["cache_control"]) for part in reversed(parts) if part.get("cache_control")), None)


def is_thinking(block: Json) -> bool:
    """Whether a block is thinking, readable or redacted."""
    return kind(block) in THINKING


def opens_turn(message: Message) -> bool:
    """Whether a message begins a turn: a user message that answers no tool call."""
    return message.role == "user" and not any(kind(block) == "tool_result" for block in message.blocks)
