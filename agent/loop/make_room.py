"""Before every send, in the order of relief: spill, microcompact, compact, block."""

import msgspec

from agent.compact.attempt import Overflow
from agent.compact.auto_compact import auto_compact_if_needed
from agent.compact.micro_compact import micro_compact_if_needed
from agent.compact.reactive_compact import reactive_compact
from agent.compact.room import can_shrink
from agent.compact.server_clears import take_over_clears
from agent.context.meter_text import meter_text
from agent.loop.deps import Deps
from agent.loop.spill import spill_unsent
from agent.loop.tally import Tally
from agent.protocol.errors import CcagentError, CompactVetoed, ContextLimitReached
from agent.protocol.events import MeterChanged, Notice
from agent.protocol.meter import Level, Reading

VETOED = "A PreCompact hook blocks automatic compaction; at the limit /compact goes ahead in spite of it."


async def make_room(deps: Deps, tally: Tally, coming: int = 0, *, mid_turn: bool = False) -> None:
    """Leaves enough room for `coming` more tokens, or raises ContextLimitReached with nothing changed.

    One failed automatic compaction per prompt is enough: it is not tried again until the person speaks, unless the limit is reached.
    At the limit a prompt is held only if a compaction could help.
    """
    reading = await _told(deps, coming)
    reading = await _spill(deps, reading, coming)
    reading = await _microcompact(deps, reading, coming)
    if tally.auto_compact_failure is None or reading.level is Level.BLOCKING:
        reading = await _compact(deps, tally, reading, coming, mid_turn=mid_turn)
    if reading.level is Level.BLOCKING and await can_shrink(deps.compact, reading.tiers.blocking, mid_turn=mid_turn):
        disabled = bool(deps.parts.compact_disabled)
        text = meter_text(reading, auto=reading.auto, compact_disabled=disabled)
        vetoed = isinstance(tally.auto_compact_failure, CompactVetoed)
        raise ContextLimitReached(text, do=VETOED if vetoed else "")


async def react(deps: Deps, tally: Tally, error: Overflow) -> None:
    """The API said too long in the middle of a run: one reactive compaction, or the error itself."""
    if not deps.parts.reactive_compact:
        raise error
    await deps.emit(Notice(level="warning", text="The API says the prompt is too long; compacting the conversation."))
    tally.compacted(await reactive_compact(deps.compact, error))
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
    outcome = await auto_compact_if_needed(deps.compact, reading, mid_turn=mid_turn)
    if outcome is None:
        return reading
    if isinstance(outcome, CcagentError):
        tally.auto_compact_failure = outcome
        if deps.conversation.breaker.open:
            text = "Automatic compaction failed three times in a row and rests for this session · /compact tries again."
            await deps.emit(Notice(level="warning", text=text))
        return reading
    tally.compacted(outcome)
    return await _told(deps, coming)


async def _told(deps: Deps, coming: int) -> Reading:
    """The meter after something has changed, which is told."""
    reading = _with(deps.reading(), coming)
    await deps.emit(MeterChanged(reading))
    return reading


def _with(reading: Reading, coming: int) -> Reading:
    if not coming or reading.used is None:
        return reading
    return msgspec.structs.replace(reading, used=reading.used + coming, estimated=True)
