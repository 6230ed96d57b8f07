"""Before every send, in the order of relief: spill, microcompact, compact, block."""

import msgspec

from agent.compact.attempt import Overflow
from agent.compact.auto_compact import auto_compact_if_needed
from agent.compact.micro_compact import micro_compact_if_needed
from agent.compact.reactive_compact import reactive_compact
from agent.compact.room import can_shrink, worth_a_summary
from agent.compact.server_clears import take_over_clears
from agent.context.meter_text import meter_text
from agent.loop.deps import Deps
from agent.loop.spill import spill_unsent
from agent.loop.tally import Tally
from agent.protocol.errors import CcagentError, CompactVetoed, ContextLimitReached, NothingGained, PromptTooLong
from agent.protocol.events import MeterChanged, Notice
from agent.protocol.meter import Level, Reading

VETOED = "A PreCompact hook blocks automatic compaction; at the limit /compact goes ahead in spite of it."


async def make_room(deps: Deps, tally: Tally, coming: int = 0, *, mid_turn: bool = False) -> None:
    """Leaves enough room for `coming` more tokens, or raises ContextLimitReached with nothing changed."""
    reading = await _told(deps, coming)
    reading = await _spill(deps, reading, coming)
    reading = await _microcompact(deps, reading, coming)
    reading = await _compact(deps, tally, reading, coming, mid_turn=mid_turn)
    await _block(deps, tally, reading, mid_turn=mid_turn)


async def react(deps: Deps, error: Overflow) -> None:
    """The API said too long in the middle of a run: one reactive compaction, or the error itself."""
    if not deps.parts.reactive_compact:
        raise error
    what = (
        "prompt is too long"
        if isinstance(error, PromptTooLong)
        else "request is too large (images and documents count)"
    )
    await deps.emit(Notice(level="warning", text=f"The API says the {what}; compacting the conversation."))
    await reactive_compact(deps.compact, error)
    await deps.emit(MeterChanged(deps.reading()))


async def _spill(deps: Deps, reading: Reading, coming: int) -> Reading:
    return await _told(deps, coming) if await spill_unsent(deps, reading) else reading


async def _microcompact(deps: Deps, reading: Reading, coming: int) -> Reading:
    await take_over_clears(deps.compact, deps.parts.spill_dir)
    if not deps.parts.micro_compact:
        return reading
    cleared = await micro_compact_if_needed(deps.compact, reading, deps.parts.spill_dir)
    return await _told(deps, coming) if cleared else reading


async def _compact(deps: Deps, tally: Tally, reading: Reading, coming: int, *, mid_turn: bool) -> Reading:
    """One failed automatic compaction per prompt is enough, until the person speaks again or the limit is reached."""
    if tally.auto_compact_failure is not None and reading.level is not Level.BLOCKING:
        return reading
    outcome = await auto_compact_if_needed(deps.compact, reading, mid_turn=mid_turn)
    if outcome is None:
        return reading
    if isinstance(outcome, CcagentError):
        tally.auto_compact_failure = outcome
        if deps.conversation.breaker.open:
            text = "Automatic compaction failed three times in a row and rests for this session · /compact tries again."
            await deps.emit(Notice(level="warning", text=text))
        return reading
    return await _told(deps, coming)


async def _block(deps: Deps, tally: Tally, reading: Reading, *, mid_turn: bool) -> None:
    """At the limit a prompt is held, but only if a compaction could help: else the API has the last word."""
    if reading.level is not Level.BLOCKING or isinstance(tally.auto_compact_failure, NothingGained):
        return
    ceiling = reading.tiers.blocking
    if not (worth_a_summary(deps.compact, ceiling) and await can_shrink(deps.compact, ceiling, mid_turn=mid_turn)):
        return
    await _told(deps, 0)  # what was to come does not come
    text = meter_text(reading, auto=reading.auto, compact_disabled=bool(deps.parts.compact_disabled))
    raise ContextLimitReached(text, do=_why_not_compacted(tally.auto_compact_failure))


def _why_not_compacted(failure: CcagentError | None) -> str:
    match failure:
        case None:
            return ""
        case CompactVetoed():
            return VETOED
        case _:
            return " ".join(["Automatic compaction failed:", failure.what, failure.do]).rstrip()


async def _told(deps: Deps, coming: int) -> Reading:
    """The meter after something has changed, which is told."""
    reading = _with(deps.reading(), coming)
    await deps.emit(MeterChanged(reading))
    return reading


def _with(reading: Reading, coming: int) -> Reading:
    if not coming or reading.used is None:
        return reading
    return msgspec.structs.replace(reading, used=reading.used + coming, estimated=True)
