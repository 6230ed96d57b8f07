"""The API has refused a turn as too long: one compaction sized by what it said, or its own error."""

from agent.compact.attempt import Overflow
from agent.compact.compact import compact
from agent.compact.deps import CompactDeps
from agent.compact.room import can_shrink, ceilings
from agent.compact.thrashing import thrashing_error
from agent.compact.way_out import way_out
from agent.protocol.errors import (
    CcagentError,
    CompactDeclined,
    CompactVetoed,
    NothingGained,
    PromptTooLong,
    RequestTooLarge,
)
from agent.protocol.results import Receipt


async def reactive_compact(deps: CompactDeps, overflow: Overflow) -> Receipt:
    """Compacts in the middle of a turn; raises `overflow`, with the cause, when that cannot help or fails.

    It counts for the breaker like every automatic compaction, and rests with it. Raises CompactUnavailable when the context thrashes.
    """
    breaker = deps.conversation.breaker
    ceiling = ceilings(deps.reading().tiers, must_fit=True, overflow=overflow)[-1]
    used = deps.reading().used or 0
    if breaker.open or breaker.thrashing or breaker.futile(used) or not await can_shrink(deps, ceiling, mid_turn=True):
        limit = overflow.limit if isinstance(overflow, PromptTooLong) else None
        overflow.do = overflow.do or await way_out(deps, limit or deps.reading().tiers.blocking)
        raise overflow
    breaker.crossed()
    if breaker.thrashing:
        raise thrashing_error(deps)
    try:
        return await compact(deps, trigger="auto", mid_turn=True, must_fit=True, overflow=overflow)
    except CcagentError as error:
        if isinstance(error, NothingGained):
            breaker.gained_nothing(used)
        elif not isinstance(error, CompactVetoed | CompactDeclined):
            breaker.failed()
        raise _surfaced(overflow, error) from error


def _surfaced(overflow: Overflow, failure: CcagentError) -> Overflow:
    """The API's error again, with why the compaction did not help."""
    cause = f"automatic compaction failed: {failure.what}"
    safe = "The conversation is unchanged."
    if isinstance(overflow, PromptTooLong):
        too_long = f"Prompt is too long · {cause}"
        return PromptTooLong(too_long, used=overflow.used, limit=overflow.limit, safe=safe, do=overflow.do)
    return RequestTooLarge(f"Request is too large · {cause}", safe=safe, do=overflow.do)
