"""compact(): one transaction in the order of the design notes; before the boundary is written, any failure leaves the history as it was."""

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from agent.compact.compact_event import log_compact_event
from agent.compact.deps import CompactDeps
from agent.compact.keep_tail import keep_tail
from agent.compact.post_compact_cleanup import run_post_compact_cleanup
from agent.compact.rebuild import Rebuilt, rebuild
from agent.compact.summarize import Summary, summarize
from agent.protocol.errors import CcagentError, CompactUnavailable, CompactVetoed, NotEnoughMessages
from agent.protocol.events import CompactFailed, CompactFinished, CompactStarted
from agent.protocol.hooks import HookEvent, HookInput
from agent.protocol.meter import Level
from agent.protocol.results import Receipt, Trigger
from agent.transcript.entries import CompactBoundary, MessageEntry


class Attempt(Struct, frozen=True, kw_only=True):
    """One compaction while it is made: what it replaces and why; `before` in tokens, `started` in monotonic seconds."""

    trigger: Trigger
    view: tuple[MessageEntry, ...]
    kept: tuple[MessageEntry, ...]
    before: int
    started: float

    @property
    def history(self) -> tuple[MessageEntry, ...]:
        """What is summarised: in a tool loop everything, so that the cached prefix is shared; else all but the kept tail."""
        in_loop = bool(self.view[-1].message.tool_results)
        return self.view if in_loop else self.view[: len(self.view) - len(self.kept)]


async def compact(deps: CompactDeps, *, trigger: Trigger, instructions: str = "", must_fit: bool = False) -> Receipt:
    """Replaces the history by a summary and returns the receipt.

    `must_fit` says that the next request cannot be sent without it. Raises CompactError or ModelError with the history untouched;
    every outcome is also told as CompactFinished or CompactFailed.
    """
    try:
        view = _worth_compacting(deps)
        asked = await _pre_compact_hooks(deps, trigger, instructions)
        receipt = await _transaction(deps, view, trigger, asked, must_fit=must_fit)
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


async def _transaction(
    deps: CompactDeps, view: tuple[MessageEntry, ...], trigger: Trigger, instructions: Sequence[str], *, must_fit: bool
) -> Receipt:
    reading = deps.reading()
    attempt = Attempt(
        trigger=trigger,
        view=view,
        kept=keep_tail(view),
        before=reading.used or deps.size([entry.message for entry in view]),
        started=deps.clock.monotonic(),
    )
    await deps.emit(CompactStarted(trigger=trigger, pre_tokens=attempt.before))
    messages = [entry.message for entry in attempt.history]
    summary = await summarize(deps, messages, instructions, must_fit=must_fit or reading.level is Level.BLOCKING)
    rebuilt = await rebuild(deps, view, attempt.kept, summary.text, before=attempt.before, trigger=trigger)
    boundary = _install(deps, attempt, rebuilt)
    log_compact_event(deps, boundary, summary)
    run_post_compact_cleanup(deps.conversation, deps.frame, deps.frame.query_source)
    deps.conversation.breaker.succeeded(manual=trigger == "manual")
    return _receipt(boundary, summary, rebuilt)


def _worth_compacting(deps: CompactDeps) -> tuple[MessageEntry, ...]:
    if deps.disabled:
        raise CompactUnavailable(f"Compaction is switched off by {deps.disabled}.", do="/clear starts anew.")
    view = (
        deps.conversation.sent()
    )  # the bytes of the last request, so that the summary's request reads them from the cache
    if not any(entry.message.role == "assistant" for entry in view):
        raise NotEnoughMessages("Not enough messages to compact.")
    return view


async def _pre_compact_hooks(deps: CompactDeps, trigger: Trigger, instructions: str) -> tuple[str, ...]:
    """The instructions of the person, the hooks and CLAUDE.md, in that order; raises CompactVetoed."""
    fields: dict[str, object] = {"trigger": trigger, "custom_instructions": instructions}
    outcome = await deps.hooks.run(HookInput(event=HookEvent.PRE_COMPACT, subject=trigger, fields=fields), deps.emit)
    if outcome.blocked:
        reason = outcome.reason.strip() or "no reason given"
        raise CompactVetoed(f"Compaction blocked by a PreCompact hook: {reason}", safe="The conversation is unchanged.")
    return (instructions, *outcome.instructions, deps.instructions)


def _install(deps: CompactDeps, attempt: Attempt, rebuilt: Rebuilt) -> CompactBoundary:
    post = rebuilt.messages
    return deps.conversation.transcript.mark_boundary(
        trigger=attempt.trigger,
        pre_tokens=attempt.before,
        post_tokens=rebuilt.tokens,
        summary=post.summary,
        kept=[entry.uuid for entry in post.kept],
        attachments=(*post.attachments, *post.hook_results),
        duration_ms=round(1000 * (deps.clock.monotonic() - attempt.started)),
        messages_summarized=len(attempt.history),
    )


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
        files_restored=tuple(str(path) for path in rebuilt.files),
        extractive=summary.extractive,
    )


async def _post_compact_hooks(deps: CompactDeps, receipt: Receipt) -> None:
    fields: dict[str, object] = {"trigger": receipt.trigger, "compact_summary": receipt.summary}
    await deps.hooks.run(HookInput(event=HookEvent.POST_COMPACT, subject=receipt.trigger, fields=fields), deps.emit)
