"""compact(): one transaction in the order of the design notes; before the boundary is written, any failure leaves the history as it was."""

import asyncio

import msgspec

from agent.compact.approve import agreed_instructions, agreed_summary, foreseen
from agent.compact.attempt import Attempt, Overflow
from agent.compact.bill import Bill
from agent.compact.compact_event import log_compact_event
from agent.compact.conversation import Conversation
from agent.compact.deps import CompactDeps
from agent.compact.partial_compact import Part, split_at
from agent.compact.post_compact_cleanup import run_post_compact_cleanup
from agent.compact.readable_record import taken_back_unless_done
from agent.compact.rebuild import Rebuilt, rebuild, refuse_if_hopeless
from agent.compact.review import Review
from agent.compact.room import Room, ceilings, room_for_summary, split_in_room
from agent.compact.summarize import Summary
from agent.compact.validate import WORTHWHILE, is_small
from agent.protocol.errors import (
    CcagentError,
    CompactDeclined,
    CompactUnavailable,
    CompactVetoed,
    NotEnoughMessages,
    PromptTooLong,
)
from agent.protocol.events import CompactFailed, CompactFinished, CompactStarted, FailedKind, Notice
from agent.protocol.hooks import HookEvent, HookInput
from agent.protocol.meter import Level
from agent.protocol.results import Checked, Receipt, Spent, Trigger
from agent.transcript.entries import CompactBoundary, MessageEntry

LEAST_SCALE = 0.9  # our estimates are not further off
CUT = (
    "The last request is too large to stand beside a summary: what you said in it is cut in the middle there. "
    "All of it stays on record, where the model can read it."
)
CANCELLED = "Compaction cancelled; the conversation is unchanged."


async def compact(
    deps: CompactDeps,
    *,
    trigger: Trigger,
    instructions: str = "",
    mid_turn: bool = False,
    must_fit: bool = False,
    overflow: Overflow | None = None,
    part: Part | None = None,
    preview: bool = False,
) -> Receipt:
    """Replaces the history, or only a `part` of it, by a summary and returns the receipt.

    `mid_turn` says that the answer to the last request goes on afterwards; `must_fit` that the next request cannot be sent without a
    compaction; `overflow` is how the API refused the last one. `preview` puts it before the person first, as `deps.approve` does with
    every automatic one. Raises CompactError or ModelError with the history untouched; every outcome is also told as CompactFinished or
    CompactFailed.
    """
    bill = Bill()
    try:
        view = _worth_compacting(deps)
        attempt = await _attempt(
            deps, view, trigger, mid_turn=mid_turn, must_fit=must_fit, overflow=overflow, part=part
        )
        attempt = msgspec.structs.replace(attempt, review=_review(deps, trigger, preview), bill=bill)
        await refuse_if_hopeless(deps, attempt)
        wanted = await agreed_instructions(deps, attempt, instructions)
        hooked = await _pre_compact_hooks(deps, trigger, wanted)
        attempt = msgspec.structs.replace(attempt, instructions=hooked)
        receipt = await _transaction(deps, attempt)
    except (asyncio.CancelledError, CompactDeclined):
        await deps.emit(_told(deps, trigger, CANCELLED, "cancelled", bill))
        raise
    except CcagentError as error:
        await deps.emit(_told(deps, trigger, error.line, _kind(error), bill))
        raise
    try:
        await _post_compact_hooks(deps, receipt)
    finally:  # the boundary stands: whatever a hook or an interrupt does now, this compaction has happened
        await deps.emit(CompactFinished(receipt=receipt))
    return receipt


def _kind(error: CcagentError) -> FailedKind:
    match error:
        case CompactVetoed():
            return "vetoed"
        case NotEnoughMessages():
            return "nothing"
        case _:
            return "failed"


def _told(deps: CompactDeps, trigger: Trigger, reason: str, kind: FailedKind, bill: Bill) -> CompactFailed:
    model = deps.frame.model
    return CompactFailed(trigger=trigger, reason=reason, kind=kind, model=model, spent=bill.spent(model))


async def forecast(deps: CompactDeps) -> str:
    """What compact() would come to now as Markdown, without a request or a question; raises CompactError when there can be none."""
    _forecast, report = await foreseen(deps, await _attempt(deps, _worth_compacting(deps), "manual"))
    return report


async def _transaction(deps: CompactDeps, attempt: Attempt) -> Receipt:
    await deps.emit(CompactStarted(trigger=attempt.trigger, pre_tokens=attempt.before))
    if attempt.split.cuts_request:
        await deps.emit(Notice(level="info", text=CUT))
    conversation = deps.conversation
    with taken_back_unless_done(conversation.recorded(), conversation.transcript.path):
        proposal = await agreed_summary(deps, attempt)
        rebuilt = await rebuild(deps, attempt, proposal.drafted)
        boundary = _install(deps, attempt, rebuilt, proposal.summary)
    log_compact_event(deps, attempt, boundary, proposal.summary, rebuilt)
    run_post_compact_cleanup(deps, deps.frame.query_source, attempt.scale)
    deps.conversation.breaker.succeeded(manual=attempt.trigger == "manual")
    return _receipt(boundary, proposal.summary, rebuilt, attempt.bill.spent(deps.frame.model))


def _worth_compacting(deps: CompactDeps) -> tuple[MessageEntry, ...]:
    if deps.disabled:
        raise CompactUnavailable(f"Compaction is switched off by {deps.disabled}.", do="/clear starts anew.")
    # the bytes of the last request, so that the summary's request reads them from the cache
    view = deps.conversation.sent()
    if not any(entry.message.role == "assistant" for entry in view):
        raise NotEnoughMessages("Not enough messages to compact.")
    return view


def _review(deps: CompactDeps, trigger: Trigger, preview: bool) -> Review | None:
    automatic = trigger == "auto"
    wanted = deps.approve and not deps.conversation.ask_no_more if automatic else preview
    return Review(deps.asker, deps.clock, automatic=automatic) if wanted and deps.asker is not None else None


async def _pre_compact_hooks(deps: CompactDeps, trigger: Trigger, instructions: str) -> tuple[str, ...]:
    """The instructions of the person, the hooks and CLAUDE.md, in that order.

    Raises CompactVetoed, except at the blocking limit when a person asks: there nothing else would be left but /clear.
    """
    fields: dict[str, object] = {"trigger": trigger, "custom_instructions": instructions}
    outcome = await deps.hooks.run(HookInput(event=HookEvent.PRE_COMPACT, subject=trigger, fields=fields), deps.emit)
    if outcome.blocked:
        reason = outcome.reason.strip() or "no reason given"
        if trigger == "auto" or deps.reading().level is not Level.BLOCKING:
            stop = "" if reason.endswith((".", "!", "?", "。")) else "."  # another sentence follows
            raise CompactVetoed(
                f"Compaction blocked by a PreCompact hook: {reason}{stop}", safe="The conversation is unchanged."
            )
        text = f"A PreCompact hook blocks this compaction ({reason}); at the context limit it goes ahead all the same."
        await deps.emit(Notice(level="warning", text=text))
    return (instructions, *outcome.instructions, deps.instructions)


async def _attempt(
    deps: CompactDeps,
    view: tuple[MessageEntry, ...],
    trigger: Trigger,
    *,
    mid_turn: bool = False,
    must_fit: bool = False,
    overflow: Overflow | None = None,
    part: Part | None = None,
) -> Attempt:
    reading = deps.reading()
    estimate = deps.size([entry.message for entry in view])
    before = reading.used or estimate
    if isinstance(overflow, PromptTooLong):
        before = max(before, overflow.used or 0)
    must_fit = must_fit or overflow is not None or reading.level is Level.BLOCKING
    for ceiling in ceilings(reading.tiers, must_fit=must_fit, overflow=overflow):
        if part is None:
            split, room = await split_in_room(deps, view, ceiling, mid_turn=mid_turn)
        else:
            split = split_at(view, part)
            room = room_for_summary(deps, split, ceiling, await deps.context())
        if room.enough:
            break
    if not room.enough:
        if trigger == "auto":
            sizes = f"{room.floor:,} of {ceiling:,} tokens are left in any case"
            raise CompactUnavailable(f"No compaction can bring the conversation under the threshold: {sizes}.")
        room = Room(floor=room.floor, ceiling=max(before, ceiling), words=room.words)
    scale = 1.0 if reading.estimated else min(1.0, max(LEAST_SCALE, before / max(1, estimate)))
    worth = WORTHWHILE if trigger == "auto" and not must_fit else 1.0
    return Attempt(
        trigger=trigger,
        split=split,
        room=room,
        before=before,
        weight=int(worth * before / scale),
        scale=scale,
        started=deps.clock.monotonic(),
        must_fit=must_fit,
        overflow=overflow,
        is_part=part is not None,
        small=is_small(before, deps.frame.overhead),
    )


def _install(deps: CompactDeps, attempt: Attempt, rebuilt: Rebuilt, summary: Summary) -> CompactBoundary:
    post, checked, spent = rebuilt.messages, rebuilt.checked, attempt.bill.spent(deps.frame.model)
    boundary = deps.conversation.transcript.mark_boundary(
        trigger=attempt.trigger,
        pre_tokens=attempt.before,
        post_tokens=attempt.told(rebuilt.tokens),
        summary=post.summary,
        kept=[entry.uuid for entry in post.kept],
        attachments=(*post.attachments, *post.hook_results),
        duration_ms=round(1000 * _took(deps, attempt)),
        messages_summarized=attempt.split.replaced,
        kept_first=attempt.split.kept_first,
        model=deps.frame.model,
        requests=spent.requests,
        usage=spent.usage,
        cost=spent.cost,
        checked=Checked(checked.rules, checked.files, checked.repaired),
        extractive=summary.extractive,
    )
    _give_back(deps.conversation, boundary, rebuilt)
    return boundary


def _took(deps: CompactDeps, attempt: Attempt) -> float:
    """Seconds, without those that the person took to answer."""
    waited = attempt.review.waited if attempt.review is not None else 0.0
    return deps.clock.monotonic() - attempt.started - waited


def _give_back(conversation: Conversation, boundary: CompactBoundary, rebuilt: Rebuilt) -> None:
    """Only now does the model read the restored files as they are on disk; the newest stays the newest."""
    known = {file.path: conversation.read_state.get(file.path) for file in rebuilt.files}
    conversation.stamps_before[boundary.uuid] = {path: stamp for path, stamp in known.items() if stamp is not None}
    for file in reversed(rebuilt.files):
        conversation.read_state.set(file.path, file.stamp)


def _receipt(boundary: CompactBoundary, summary: Summary, rebuilt: Rebuilt, spent: Spent) -> Receipt:
    return Receipt(
        trigger=boundary.trigger,
        boundary=boundary.uuid,
        pre_tokens=boundary.pre_tokens,
        post_tokens=boundary.post_tokens,
        summary=summary.text,
        model=summary.model,
        requests=spent.requests,
        usage=spent.usage,
        cost=spent.cost,
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
