"""What every request of a conversation shares, so that turns and compactions read the same cached prefix."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from agent.context.cache_watch import CacheWatch
from agent.context.max_tokens import max_tokens_for
from agent.context.rewrite import clear_tool_uses
from agent.models.capabilities import ModelInfo
from agent.protocol.messages import Message
from agent.protocol.meter import Reading
from agent.protocol.model import Request, Thinking, ThinkingOff, ToolSpec
from agent.protocol.source import QuerySource
from agent.transcript.invariants import repair


class Frame(Struct, frozen=True, kw_only=True):
    """Model, system, tools and thinking; `overhead` is the estimated size of system and tools in tokens.

    `max_output` is the person's own limit on answers (CLAUDE_CODE_MAX_OUTPUT_TOKENS), None for the default. `clears_tool_uses`:
    the API has said that it can leave out old tool results of this model.
    """

    info: ModelInfo
    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    overhead: int
    thinking: Thinking = ThinkingOff()
    effort: str | None = None
    max_output: int | None = None
    clears_tool_uses: bool = False
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
    frame: Frame,
    messages: Sequence[Message],
    reading: Reading,
    *,
    query_source: QuerySource | None = None,
    server_cleared: Collection[str] = (),
    watch: CacheWatch | None = None,
) -> tuple[Request, tuple[str, ...]]:
    """The one gate before every send: a request that the API's rules allow, and one notice per repair that was needed.

    `server_cleared` are the calls among the oldest of `messages` whose results the API is to leave out. With `watch` an API that has
    told us of its abilities (a gateway seldom does) is asked why its cache missed, if it did.
    """
    legal, notices = repair(messages)
    request = Request(
        model=frame.model,
        system=frame.system,
        tools=frame.tools,
        messages=legal,
        max_tokens=max_tokens_for(reading.windows, reading, reading.windows.max_output, frame.max_output),
        thinking=frame.thinking,
        effort=frame.effort,
        clear_tool_uses=clear_tool_uses(legal, server_cleared),
        diagnose=watch is not None and frame.clears_tool_uses and not watch.refused,
        previous_id=watch.previous_id if watch is not None else None,
        query_source=query_source or frame.query_source,
    )
    return request, notices
