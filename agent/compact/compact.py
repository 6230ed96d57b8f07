"""compact(): one transaction in the order of the design notes; before the boundary is written, any failure leaves the history as it was."""

import asyncio

from agent.compact.attempt import Attempt, Overflow
from agent.compact.compact_event import log_compact_event
from agent.compact.conversation import Conversation
from agent.compact.deps import CompactDeps
from agent.compact.post_compact_cleanup import run_post_compact_cleanup
from agent.compact.rebuild import Rebuilt, rebuild
from agent.compact.room import Room, split_in_room
from agent.compact.summarize import Summary, summarize
from agent.protocol.errors import CcagentError, CompactUnavailable, CompactVetoed, NotEnoughMessages, PromptTooLong
from agent.protocol.events import CompactFailed, CompactFinished, CompactStarted, Notice
from agent.protocol.hooks import HookEvent, HookInput
from agent.protocol.meter import Level
from agent.protocol.results import Receipt, Trigger
from agent.transcript.entries import CompactBoundary, MessageEntry

OVERFLOW_SHARE = 0.75  # of the limit that the API named: what the compacted conversation must stay under


async def compact(
    deps: CompactDeps,
    *,
    trigger: Trigger,
    instructions: str = "",
    mid_turn: bool = False,
    must_fit: bool = False,
    overflow: Overflow | None = None,
) -> Receipt:
    """Replaces the history by a summary and returns the receipt.

    `mid_turn` says that the answer to the last request goes on afterwards; `must_fit` that the next request cannot be sent without a
    compaction; `overflow` is how the API refused the last one. Raises CompactError or ModelError with the history untouched; every
    outcome is also told as CompactFinished or CompactFailed.
    """
    try:
        view = _worth_compacting(deps)
        asked = await _pre_compact_hooks(deps, trigger, instructions)
        attempt = await _attempt(deps, view, trigger, asked, mid_turn=mid_turn, must_fit=must_fit, overflow=overflow)
        receipt = await _transaction(deps, attempt)
    except asyncio.CancelledError:
        reason = "Compaction cancelled; the conversation is unchanged."
        await deps.emit(CompactFailed(trigger=trigger, reason=reason, kind="cancelled"))
        raise
    except CcagentError as error:
        vetoed = isinstance(error, CompactVetoed)
        await deps.emit(CompactFailed(trigger=trigger, reason=error.line, kind="vetoed" if vetoed else "failed"))
        raise
    try:
        await _post_compact_hooks(deps, receipt)
    finally:  # the boundary stands: whatever a hook or an interrupt does now, this compaction has happened
        await deps.emit(CompactFinished(receipt=receipt))
    return receipt


async def _transaction(deps: CompactDeps, attempt: Attempt) -> Receipt:
    await deps.emit(CompactStarted(trigger=attempt.trigger, pre_tokens=attempt.before))
    summary = await summarize(deps, attempt)
    rebuilt = await rebuild(deps, attempt, summary.text)
    boundary = _install(deps, attempt, rebuilt)
    log_compact_event(deps, boundary, summary, rebuilt)
    run_post_compact_cleanup(deps.conversation, deps.frame, deps.frame.query_source)
    deps.conversation.breaker.succeeded(manual=attempt.trigger == "manual")
    return _receipt(boundary, summary, rebuilt)


def _worth_compacting(deps: CompactDeps) -> tuple[MessageEntry, ...]:
    if deps.disabled:
        raise CompactUnavailable(f"Compaction is switched off by {deps.disabled}.", do="/clear starts anew.")
    # the bytes of the last request, so that the summary's request reads them from the cache
    view = deps.conversation.sent()
    if not any(entry.message.role == "assistant" for entry in view):
        raise NotEnoughMessages("Not enough messages to compact.")
    return view


async def _pre_compact_hooks(deps: CompactDeps, trigger: Trigger, instructions: str) -> tuple[str, ...]:
    """The instructions of the person, the hooks and CLAUDE.md, in that order.

    Raises CompactVetoed, except at the blocking limit when a person asks: there nothing else would be left but /clear.
    """
    fields: dict[str, object] = {"trigger": trigger, "custom_instructions": instructions}
    outcome = await deps.hooks.run(HookInput(event=HookEvent.PRE_COMPACT, subject=trigger, fields=fields), deps.emit)
    if outcome.blocked:
        reason = outcome.reason.strip() or "no reason given"
        if trigger == "auto" or deps.reading().level is not Level.BLOCKING:
            raise CompactVetoed(
                f"Compaction blocked by a PreCompact hook: {reason}", safe="The conversation is unchanged."
            )
        text = f"A PreCompact hook blocks this compaction ({reason}); at the context limit it goes ahead all the same."
        await deps.emit(Notice(level="warning", text=text))
    return (instructions, *outcome.instructions, deps.instructions)


async def _attempt(
    deps: CompactDeps,
    view: tuple[MessageEntry, ...],
    trigger: Trigger,
    instructions: tuple[str, ...],
    *,
    mid_turn: bool,
    must_fit: bool,
    overflow: Overflow | None,
) -> Attempt:
    reading = deps.reading()
    before = reading.used or deps.size([entry.message for entry in view])
    ceiling = reading.tiers.threshold
    if isinstance(overflow, PromptTooLong) and overflow.limit:
        ceiling = min(ceiling, round(OVERFLOW_SHARE * overflow.limit))
    split, room = await split_in_room(deps, view, ceiling, mid_turn=mid_turn)
    if not room.enough:
        if trigger == "auto":
            sizes = f"{room.floor:,} of {ceiling:,} tokens are left in any case"
            raise CompactUnavailable(f"No compaction can bring the conversation under the threshold: {sizes}.")
        room = Room(floor=room.floor, ceiling=max(before, ceiling), words=room.words)
    return Attempt(
        trigger=trigger,
        split=split,
        room=room,
        before=before,
        started=deps.clock.monotonic(),
        instructions=instructions,
        must_fit=must_fit or overflow is not None or reading.level is Level.BLOCKING,
        overflow=overflow,
    )


def _install(deps: CompactDeps, attempt: Attempt, rebuilt: Rebuilt) -> CompactBoundary:
    post = rebuilt.messages
    boundary = deps.conversation.transcript.mark_boundary(
        trigger=attempt.trigger,
        pre_tokens=attempt.before,
        post_tokens=rebuilt.tokens,
        summary=post.summary,
        kept=[entry.uuid for entry in post.kept],
        attachments=(*post.attachments, *post.hook_results),
        duration_ms=round(1000 * (deps.clock.monotonic() - attempt.started)),
        messages_summarized=attempt.split.replaced,
    )
    _give_back(deps.conversation, boundary, rebuilt)
    return boundary


def _give_back(conversation: Conversation, boundary: CompactBoundary, rebuilt: Rebuilt) -> None:
    """Only now does the model read the restored files as they are on disk; the newest stays the newest."""
    known = {file.path: conversation.read_state.get(file.path) for file in rebuilt.files}
    conversation.stamps_before[boundary.uuid] = {path: stamp for path, stamp in known.items() if stamp is not None}
    for file in reversed(rebuilt.files):
        conversation.read_state.set(file.path, file.stamp)


def _receipt(boundary: CompactBoundary, summary: Summary, rebuilt: Rebuilt) -> Receipt:
    return Receipt(
        trigger=boundary.trigger,
        boundary=boundary.uuid,
        pre_tokens=boundary.pre_tokens,
        post_tokens=boundary.post_tokens,
        summary=summary.text,
        cost=summary.cost,
        duration_ms=boundary.duration_ms,
        messages_summarized=boundary.messages_summarized,
        files_restored=tuple(str(file.path) for file in rebuilt.files),
        extractive=summary.extractive,
        rules=rebuilt.checked.rules,
        files=rebuilt.checked.files,
        repaired=rebuilt.checked.repaired,
    )


async def _post_compact_hooks(deps: CompactDeps, receipt: Receipt) -> None:
    fields: dict[str, object] = {"trigger": receipt.trigger, "compact_summary": receipt.summary}
    await deps.hooks.run(HookInput(event=HookEvent.POST_COMPACT, subject=receipt.trigger, fields=fields), deps.emit)
