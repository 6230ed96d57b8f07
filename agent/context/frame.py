"""What every request of a conversation shares, so that turns and compactions read the same cached prefix."""

from collections.abc import Sequence

from msgspec import Struct

from agent.context.max_tokens import max_tokens_for
from agent.models.capabilities import ModelInfo
from agent.protocol.messages import Message
from agent.protocol.meter import Reading
from agent.protocol.model import Request, Thinking, ThinkingOff, ToolSpec
from agent.protocol.source import QuerySource
from agent.transcript.invariants import repair


class Frame(Struct, frozen=True, kw_only=True):
    """Model, system, tools and thinking; `overhead` is the estimated size of system and tools in tokens.

    `max_output` is the person's own limit on answers (CLAUDE_CODE_MAX_OUTPUT_TOKENS), None for the default.
    """

    info: ModelInfo
    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    overhead: int
    thinking: Thinking = ThinkingOff()
    effort: str | None = None
    max_output: int | None = None
    query_source: QuerySource = QuerySource.REPL

    @property
    def model(self) -> str:
        """The model's id."""
        return self.info.id

    @property
    def tokenizer(self) -> str:
        """The tokenizer generation to estimate with."""
        return self.info.tokenizer


def build_request(
    frame: Frame, messages: Sequence[Message], reading: Reading, *, query_source: QuerySource | None = None
) -> tuple[Request, tuple[str, ...]]:
    """The one gate before every send: a request that the API's rules allow, and one notice per repair that was needed."""
    legal, notices = repair(messages)
    request = Request(
        model=frame.model,
        system=frame.system,
        tools=frame.tools,
        messages=legal,
        max_tokens=max_tokens_for(reading.windows, reading, reading.windows.max_output, frame.max_output),
        thinking=frame.thinking,
        effort=frame.effort,
        query_source=query_source or frame.query_source,
    )
    return request, notices
