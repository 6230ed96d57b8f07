"""microCompact of the notes: old tool results leave the context in one batch, when that pays or saves a compaction, and stay readable."""

# The named anti-pattern is rolling masking: hiding one more old result every turn. It breaks the cached prefix on every turn, and costs
# 1.5 to 9 times as much as clearing in batches. So a clearing is rare, large, and sticky: it is on record,
# and every later request, after a resume too, has the same bytes.

import asyncio
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import assert_never

import msgspec
from msgspec import Struct

from agent.compact.break_even import Forecast, expected_requests, pays
from agent.compact.deps import CompactDeps
from agent.compact.old_results import OldResult, compactable_results
from agent.compact.put_aside import put_aside, where_they_are
from agent.context.cache_watch import LIFETIME, seconds_since
from agent.context.rewrite import Route, dying_thinking, legal_routes
from agent.protocol.events import MicroCompacted
from agent.protocol.meter import Reading
from agent.protocol.source import is_main_thread
from agent.transcript.entries import MessageEntry

LEAST_SAVED = 20_000  # tokens; in a small window an eighth of the threshold
RELIEF = 0.75  # a compaction is avoided only when the context falls to this share of the threshold
STUB_TOKENS = 90  # about what stands in a result's place
WORTH_A_STUB = 200  # tokens of a result


class Clearing(Struct, frozen=True):
    """One batch: what is cleared, by which route, what it saves, and the answers whose thinking goes with it."""

    route: Route
    results: tuple[OldResult, ...]
    saved: int
    dying: tuple[str, ...] = ()


async def micro_compact_if_needed(deps: CompactDeps, reading: Reading, spill_dir: Path) -> MicroCompacted | None:
    """Clears one batch if it is worth it; None when not. Raises TranscriptError with nothing changed.

    By the server's route the clearing waits in the conversation until the API has accepted it with the next answer.
    """
    if deps.disabled or reading.used is None or not is_main_thread(deps.frame.query_source):
        return None
    if reading.used - deps.frame.overhead < _least(reading):
        return None
    view = deps.conversation.view()
    clearing = _worthwhile(deps, view, reading)
    if clearing is None:
        return None
    await _install(deps, clearing, spill_dir)
    event = MicroCompacted(cleared=len(clearing.results), tokens_saved=clearing.saved)
    deps.log.event("microcompact", route=clearing.route.value, cleared=event.cleared, tokens_saved=event.tokens_saved)
    await deps.emit(event)
    return event


def _worthwhile(deps: CompactDeps, view: Sequence[MessageEntry], reading: Reading) -> Clearing | None:
    """The best clearing that is worth it: by a route that loses no thinking if it pays, by any if a compaction is avoided."""
    conversation = deps.conversation
    found = compactable_results(
        view,
        conversation.meter.counter,
        threshold=reading.tiers.threshold,
        pinned=[pin.spot for pin in conversation.edits.pins],
        cleared={*conversation.edits.texts, *conversation.server_cleared},
    )
    scale = _scale(deps, view, reading)
    for possible in _clearings(deps, view, found):
        clearing = msgspec.structs.replace(possible, saved=int(scale * possible.saved))
        if clearing.saved < _least(reading):
            continue
        if _avoids_compaction(reading, clearing.saved):
            return clearing
        if not clearing.dying and _pays(deps, view, reading, clearing.saved):
            return clearing
    return None


def _clearings(deps: CompactDeps, view: Sequence[MessageEntry], found: Sequence[OldResult]) -> list[Clearing]:
    """The possible batches, the one that loses least first."""
    free = tuple(result for result in found if not result.stays and result.tokens > WORTH_A_STUB)
    if not free:
        return []
    dying = dying_thinking(deps.frame.info, view, free[0].place)
    able = deps.frame.clears_tool_uses and not deps.conversation.server_clear_refused
    clearings = []
    for route in legal_routes(dying, clears_tool_uses=able):
        match route:
            case Route.SERVER_CLEAR:  # it clears from the oldest on, so it ends before the first that stays
                end = next((at for at, result in enumerate(found) if result.stays), len(found))
                oldest = tuple(result for result in found[:end] if result in free)
                clearings.append(Clearing(route, oldest, _saved(oldest)))
            case Route.EDIT | Route.STRIP:
                clearings.append(Clearing(route, free, _saved(free), dying))
            case unreachable:
                assert_never(unreachable)
    return clearings


def _scale(deps: CompactDeps, view: Sequence[MessageEntry], reading: Reading) -> float:
    """From our plain estimates to what the API counts."""
    estimated = deps.frame.overhead + deps.conversation.meter.counter.messages(entry.message for entry in view)
    return (reading.used or 0) / max(1, estimated)


def _saved(results: Sequence[OldResult]) -> int:
    return sum(result.tokens - STUB_TOKENS for result in results)


def _least(reading: Reading) -> int:
    return min(LEAST_SAVED, reading.tiers.threshold // 8)


def _avoids_compaction(reading: Reading, saved: int) -> bool:
    used, threshold = reading.used or 0, reading.tiers.threshold
    return used >= threshold and used - saved <= RELIEF * threshold


def _pays(deps: CompactDeps, view: Sequence[MessageEntry], reading: Reading, saved: int) -> bool:
    """Whether later requests save more than the next one costs; while the cache is cold that one is written anew in any case."""
    price = deps.frame.info.price
    if price is None or reading.used is None:
        return False
    answers = [entry for entry in view if entry.message.role == "assistant" and entry.usage is not None]
    usages = [entry.usage for entry in answers if entry.usage is not None]
    after = reading.used - saved
    rewritten = 0 if not answers or _cold(answers[-1], deps.clock.now()) else after - deps.frame.overhead
    return pays(Forecast(saved, rewritten, expected_requests(usages, reading.tiers.threshold - after)), price)


def _cold(last_answer: MessageEntry, now: datetime) -> bool:
    age = seconds_since(last_answer.timestamp, now)
    return age is not None and age > LIFETIME


async def _install(deps: CompactDeps, clearing: Clearing, spill_dir: Path) -> None:
    conversation, results = deps.conversation, clearing.results
    places = await asyncio.to_thread(put_aside, results, spill_dir, conversation.transcript.path)
    if clearing.route is Route.SERVER_CLEAR:
        conversation.transcript.append_message(where_they_are(places, spill_dir), is_meta=True)
        conversation.pending_clears = (*conversation.pending_clears, *(result.call.id for result in results))
        conversation.meter.rewritten(conversation.messages(), deps.frame.overhead)
        return
    edits, count = conversation.edits, conversation.meter.counter.text
    stubs = {
        result.call.id: stub
        for result, place in zip(results, places, strict=True)
        if count(stub := place.stub(result.tokens)) < result.tokens
    }
    new = msgspec.structs.replace(
        edits, texts=edits.texts | stubs, stripped=tuple(dict.fromkeys((*edits.stripped, *clearing.dying)))
    )
    conversation.edit(new, deps.frame)
