"""Whether automatic compaction is due, and one attempt at it that never stops a turn."""

from agent.compact.compact import compact
from agent.compact.deps import CompactDeps
from agent.protocol.errors import CompactError, CompactUnavailable, ModelError
from agent.protocol.meter import Level, Reading
from agent.protocol.results import Receipt

DUE = (Level.AUTO_COMPACT, Level.BLOCKING)


def is_due(deps: CompactDeps, reading: Reading) -> bool:
    """Whether the threshold is crossed, auto-compact is on, its breaker is closed, and there is something to compact."""
    breaker = deps.conversation.breaker
    if deps.disabled or not reading.auto or breaker.open or breaker.thrashing:
        return False
    return reading.level in DUE and can_compact(deps)


def can_compact(deps: CompactDeps) -> bool:
    """Whether a compaction could shrink anything: there is an answer since the last boundary, and compaction is not switched off."""
    return not deps.disabled and any(entry.message.role == "assistant" for entry in deps.conversation.view())


async def auto_compact_if_needed(deps: CompactDeps, reading: Reading) -> Receipt | None:
    """One automatic compaction if it is due; None when it was not, or failed and the history still fits.

    Raises CompactUnavailable at the third quick refill: the context fills as fast as it is emptied (reference 2.5).
    """
    if not is_due(deps, reading):
        return None
    breaker = deps.conversation.breaker
    breaker.crossed()
    if breaker.thrashing:
        raise CompactUnavailable(
            "Autocompact is thrashing: the context refilled to the limit right after each of the last three compactions.",
            safe="Nothing is lost.",
            do=f"See /context for what fills it ({deps.frame.overhead:,} tokens are system prompt and tools), or /clear.",
        )
    try:
        return await compact(deps, trigger="auto", must_fit=reading.level is Level.BLOCKING)
    except (CompactError, ModelError):
        breaker.failed()
        return None
