"""Why a turn paid again for what the prompt cache had held: one line, whenever it wrote more than its own additions."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from agent.context.rewrite import cleared_calls
from agent.models.aliases import table_id
from agent.protocol.blocks import Block, ToolResult
from agent.protocol.messages import Message, Usage
from agent.protocol.model import Reply, Request

TOO_LITTLE = 1_024  # tokens: the API caches no shorter prefix, so a miss below that says nothing
SHARE = 0.05  # of what was cached
LIFETIME = 300  # seconds that the API keeps an entry

MODEL, TOOLS, SYSTEM = "the model changed", "the tools changed", "the system prompt changed"
GONE = "the server no longer had it"
NOT_AS_LEFT = f"{GONE}, or tools, system prompt or thinking settings are not as the session was left"
CLEARED, MESSAGES = "old tool results were cleared", "earlier messages changed"
_SERVER_SAYS = {
    "model_changed": (MODEL,),
    "tools_changed": (TOOLS,),
    "system_changed": (SYSTEM,),
    "messages_changed": (MESSAGES, CLEARED),
}
"""The API's own reasons, and the causes of ours that say the same; its other words decide nothing."""


class Miss(Struct, frozen=True):
    """Tokens that were written again, and why; `server` is the API's word where it contradicts what we should have said."""

    tokens: int
    cause: str
    server: str = ""

    @property
    def line(self) -> str:
        """One line for the person."""
        return f"This turn re-wrote {self.tokens:,} tokens to the prompt cache because {self.cause}."


class _Last(Struct, frozen=True):
    """The last answered request, the tokens of it that the cache then held, and when it was sent (monotonic seconds).

    Of a request of an earlier process only `messages` and `model` are known: then `request` is None.
    """

    messages: tuple[Message, ...]
    model: str
    request: Request | None
    cached: int
    at: float


class CacheWatch:
    """One per conversation; sees the requests of the main thread alone.

    `previous_id` names the last answer, for the API to compare with; `refused`: it does not know that wish.
    """

    def __init__(self) -> None:
        self.previous_id: str | None = None
        self.refused = False
        self._last: _Last | None = None

    def is_warm(self, now: float) -> bool:
        """Whether the last request is still in the cache at `now` (monotonic seconds)."""
        return self._last is not None and self._last.cached > 0 and now - self._last.at < LIFETIME

    def left(self, messages: Sequence[Message], model: str, id: str, usage: Usage, at: float) -> None:
        """A session goes on: this answer of `model` with this `id` was the last to `messages`, `at` monotonic seconds, however long ago."""
        self.previous_id = id or None
        self._last = _Last(tuple(messages), model, None, usage.cache_read + usage.cache_creation, at)

    def answered(self, request: Request, reply: Reply, at: float) -> Miss | None:
        """The miss that `reply` to `request`, sent at `at`, shows, if it shows one.

        A history that begins anew (a compaction, /clear) is no miss: nothing of it was cached. Where the API says why, it is right.
        """
        self.previous_id = reply.message_id or None
        usage = reply.usage
        if usage is None:
            return None
        last = self._last
        self._last = _Last(request.messages, request.model, request, usage.cache_read + usage.cache_creation, at)
        if last is None or last.messages[:1] != request.messages[:1]:
            return None
        missed = min(last.cached - usage.cache_read, usage.cache_creation + usage.input)
        if missed <= max(TOO_LITTLE, SHARE * last.cached):
            return None
        ours, theirs = _cause(last, request, at), _SERVER_SAYS.get(reply.cache_miss)
        if theirs is None or ours in theirs:
            return Miss(missed, ours)
        if ours == NOT_AS_LEFT:
            return Miss(missed, theirs[0])
        return Miss(missed, theirs[0], server=reply.cache_miss)


def seconds_since(timestamp: str, now: datetime) -> float | None:
    """The age of a record; None for a foreign one that has no time, or one without its zone."""
    try:
        return (now - datetime.fromisoformat(timestamp)).total_seconds()
    except (ValueError, TypeError):
        return None


def _cause(last: _Last, request: Request, at: float) -> str:
    """The first difference in the order in which the API looks: model, tools, system, thinking, messages; then time."""
    differences = (
        (table_id(last.model) != table_id(request.model), MODEL),
        *(() if last.request is None else _differences(last.request, request)),
        (_only_results_differ(last.messages, request.messages), CLEARED),
        (request.messages[: len(last.messages)] != last.messages, MESSAGES),
    )
    found = next((cause for differs, cause in differences if differs), None)
    if found is not None:
        return found
    idle = round(at - last.at)
    if idle > LIFETIME:
        return f"the cache had gone cold ({_long(idle)} since the last request)"
    return NOT_AS_LEFT if last.request is None else GONE


def _only_results_differ(before: Sequence[Message], now: Sequence[Message]) -> bool:
    """Whether the same was said, but results of calls read otherwise now, and at least one does."""
    pairs = [(one, other) for one, other in zip(before, now, strict=False) if one != other]
    return bool(pairs) and all(_same_but_results(one, other) for one, other in pairs)


def _same_but_results(one: Message, other: Message) -> bool:
    return [_identity(block) for block in one.blocks] == [_identity(block) for block in other.blocks]


def _identity(block: Block) -> Block | str:
    return block.tool_use_id if isinstance(block, ToolResult) else block


def _differences(before: Request, request: Request) -> tuple[tuple[bool, str], ...]:
    thinking = (before.thinking, before.effort) != (request.thinking, request.effort)
    return (
        (before.tools != request.tools, TOOLS),
        (before.system != request.system, SYSTEM),
        (thinking, "the thinking settings changed"),
        (_cleared(before) != _cleared(request), CLEARED),
    )


def _long(seconds: int) -> str:
    """How long that is, in the largest unit that makes at least two of it."""
    for unit, name in ((86_400, "days"), (3_600, "hours")):
        if seconds >= 2 * unit:
            return f"{seconds // unit} {name}"
    return f"{seconds // 60} minutes"


def _cleared(request: Request) -> tuple[str, ...]:
    return cleared_calls(request.messages, request.clear_tool_uses)
