"""The only seam to a language model: a request out, deltas in, then exactly one reply."""

from collections.abc import AsyncGenerator
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from agent.protocol.blocks import Block
from agent.protocol.messages import Message, Usage
from agent.protocol.source import QuerySource

StopReason: TypeAlias = str  # end_turn, tool_use, max_tokens, refusal, pause_turn, model_context_window_exceeded, ...


class ToolSpec(Struct, frozen=True):
    """A tool as the model sees it; `input_schema` is JSON Schema with type object.

    `read_only` tools may run side by side; `compactable` results may be cleared later (design note 000 section 5).
    """

    name: str
    description: str
    input_schema: dict[str, object]
    read_only: bool = False
    compactable: bool = True


class ThinkingOff(Struct, frozen=True, tag=True):
    """No extended thinking."""


class ThinkingAdaptive(Struct, frozen=True, tag=True):
    """The model decides how much to think."""


class ThinkingBudget(Struct, frozen=True, tag=True):
    """A fixed thinking budget in tokens (models without adaptive thinking)."""

    tokens: int


Thinking: TypeAlias = ThinkingOff | ThinkingAdaptive | ThinkingBudget


class ClearToolUses(Struct, frozen=True):
    """Tells the API to show the model only the newest `keep` tool results; those of `exclude_tools` always stay."""

    keep: int
    exclude_tools: tuple[str, ...] = ()


class Request(Struct, frozen=True, kw_only=True):
    """One call: the same system, tools and thinking for turns and for compaction, so that they share the cached prefix.

    `diagnose` asks the API why its prompt cache missed, compared with the answer `previous_id` (None on the first turn).
    """

    model: str
    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]
    max_tokens: int
    thinking: Thinking = ThinkingOff()
    effort: str | None = None
    clear_tool_uses: ClearToolUses | None = None
    diagnose: bool = False
    previous_id: str | None = None
    query_source: QuerySource = QuerySource.REPL


class TextPiece(Struct, frozen=True, tag=True):
    """Some text of the answer."""

    text: str


class ThinkingPiece(Struct, frozen=True, tag=True):
    """Some readable thinking."""

    text: str


class ToolPiece(Struct, frozen=True, tag=True):
    """A tool call has begun, or `chars` more of its input arrived; the call itself comes with the Reply."""

    index: int
    name: str
    chars: int = 0


class Retrying(Struct, frozen=True, tag=True):
    """The attempt failed and another follows after `delay` seconds; all pieces so far of this stream are void."""

    attempt: int
    max_attempts: int
    delay: float
    reason: str


class Reply(Struct, frozen=True, tag=True, kw_only=True):
    """The whole answer; `usage` is None when the server told none. `duration` is seconds spent on the wire.

    `cache_miss` is the API's own reason for a miss of its prompt cache (tools_changed, ...), empty when it says none.
    """

    message_id: str
    model: str
    blocks: tuple[Block, ...]
    stop_reason: StopReason
    usage: Usage | None
    cache_miss: str = ""
    request_id: str = ""
    duration: float = 0.0


Delta: TypeAlias = TextPiece | ThinkingPiece | ToolPiece | Retrying


class Model(Protocol):
    """A language model behind an API."""

    def stream(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        """Deltas as they arrive, then exactly one Reply; raises ModelError when no attempt succeeded. Close it (aclosing) when leaving early."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


class LearntWindow(Struct, frozen=True):
    """What `/v1/models/ID` says: the largest prompt and the largest answer in tokens, and whether it can leave out old tool results."""

    max_input_tokens: int
    max_tokens: int | None = None
    clears_tool_uses: bool = False


class WindowProbe(Protocol):
    """Asks the API once how large a model's window is; None when it does not say or does not answer in time."""

    async def learn_window(self, model: str) -> LearntWindow | None: ...


CacheTtl: TypeAlias = Literal["5m", "1h"]
