"""Why a turn paid again for what the prompt cache had held: one line, whenever it wrote more than its own additions."""

from msgspec import Struct

from agent.context.rewrite import cleared_calls
from agent.protocol.messages import Usage
from agent.protocol.model import Request

TOO_LITTLE = 1_024  # tokens: the API caches no shorter prefix, so a miss below that says nothing
SHARE = 0.05  # of what was cached
LIFETIME = 300  # seconds that the API keeps an entry


class _Last(Struct, frozen=True):
    """The last answered request, the tokens of it that the cache then held, and when it was sent (monotonic seconds)."""

    request: Request
    cached: int
    at: float


class CacheWatch:
    """One per conversation; sees the requests of the main thread alone."""

    def __init__(self) -> None:
        self._last: _Last | None = None

    def is_warm(self, now: float) -> bool:
        """Whether the last request is still in the cache at `now` (monotonic seconds)."""
        return self._last is not None and self._last.cached > 0 and now - self._last.at < LIFETIME

    def answered(self, request: Request, usage: Usage, at: float) -> str:
        """A line for the person when the answer to `request`, sent at `at`, shows a miss; else empty.

        A history that begins anew (a compaction, /clear) is no miss: nothing of it was cached.
        """
        last = self._last
        self._last = _Last(request, usage.cache_read + usage.cache_creation, at)
        if last is None or not _goes_on(last.request, request):
            return ""
        missed = min(last.cached - usage.cache_read, usage.cache_creation + usage.input)
        if missed <= max(TOO_LITTLE, SHARE * last.cached):
            return ""
        return f"This turn re-wrote {missed:,} tokens to the prompt cache because {_cause(last, request, at)}."


def _goes_on(last: Request, request: Request) -> bool:
    return last.messages[:1] == request.messages[:1]


def _cause(last: _Last, request: Request, at: float) -> str:
    """The first difference in the order in which the API looks: model, tools, system, thinking, messages; then time."""
    before = last.request
    differences = (
        (before.model != request.model, "the model changed"),
        (before.tools != request.tools, "the tools changed"),
        (before.system != request.system, "the system prompt changed"),
        (
            (before.thinking, before.effort) != (request.thinking, request.effort),
            "the thinking settings changed",
        ),
        (_cleared(before) != _cleared(request), "old tool results were cleared"),
        (request.messages[: len(before.messages)] != before.messages, "earlier messages changed"),
    )
    found = next((cause for differs, cause in differences if differs), None)
    if found is not None:
        return found
    idle = round(at - last.at)
    if idle > LIFETIME:
        return f"the cache had gone cold ({idle // 60} minutes since the last request)"
    return "the server no longer had it"


def _cleared(request: Request) -> tuple[str, ...]:
    return cleared_calls(request.messages, request.clear_tool_uses)
