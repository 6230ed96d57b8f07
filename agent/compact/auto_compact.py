"""Whether automatic compaction is due, and one attempt at it that never stops a turn."""

from agent.compact.compact import compact
from agent.compact.deps import CompactDeps
from agent.compact.room import can_shrink, ceilings, worth_a_summary
from agent.compact.thrashing import thrashing_error
from agent.protocol.errors import CcagentError, CompactDeclined, CompactVetoed, NothingGained
from agent.protocol.meter import Level, Reading
from agent.protocol.results import Receipt

DUE = (Level.AUTO_COMPACT, Level.BLOCKING)


async def is_due(deps: CompactDeps, reading: Reading, *, mid_turn: bool) -> bool:
    """Whether the threshold is crossed, auto-compact is on, its breaker is closed, and a compaction could gain something and get under the threshold."""
    breaker = deps.conversation.breaker
    if not reading.auto or breaker.open or breaker.thrashing or reading.level not in DUE:
        return False
    if reading.level is not Level.BLOCKING and breaker.futile(reading.used or 0):
        return False
    ceiling = ceilings(reading.tiers, must_fit=reading.level is Level.BLOCKING)[-1]
    return worth_a_summary(deps, reading.tiers.threshold) and await can_shrink(deps, ceiling, mid_turn=mid_turn)


async def auto_compact_if_needed(
    deps: CompactDeps, reading: Reading, *, mid_turn: bool = False
) -> Receipt | CcagentError | None:
    """One automatic compaction if it is due: its receipt, or why it failed; None when it was not due.

    A veto, or a no of the person, is no failure to the breaker. Raises CompactUnavailable at the third quick refill: the context fills as fast as it is
    emptied (reference 2.5).
    """
    if not await is_due(deps, reading, mid_turn=mid_turn):
        return None
    breaker = deps.conversation.breaker
    breaker.crossed()
    if breaker.thrashing:
        raise thrashing_error(deps)
    try:
        return await compact(deps, trigger="auto", mid_turn=mid_turn, must_fit=reading.level is Level.BLOCKING)
    except (CompactVetoed, CompactDeclined) as error:
        return error
    except NothingGained as error:
        breaker.gained_nothing(reading.used or 0)
        return error
    except CcagentError as error:
        breaker.failed()
        return error
