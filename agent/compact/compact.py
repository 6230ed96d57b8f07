"""compact(): one transaction in the order of the design notes; before the boundary is written, any failure leaves the history as it was."""

import asyncio
from collections.abc import Sequence

from agent.compact.deps import CompactDeps
from agent.compact.keep_tail import keep_tail
from agent.compact.ledger import BUDGET, user_words
from agent.compact.post_compact_cleanup import run_post_compact_cleanup
from agent.compact.rebuild import PostCompact, go_on_message, hook_context, summary_message
from agent.compact.restore import Restored, restore_files
from agent.compact.summarize import Summary, summarize
from agent.compact.validate import SMALL_HISTORY
from agent.protocol.errors import CcagentError, CompactUnavailable, CompactVetoed, NotEnoughMessages, SummaryRejected
from agent.protocol.events import CompactFailed, CompactFinished, CompactStarted
from agent.protocol.hooks import HookEvent, HookInput
from agent.protocol.messages import Message
from agent.protocol.results import Receipt, Trigger
from agent.tokens.messages import estimate_message
from agent.transcript.entries import CompactBoundary, MessageEntry
from agent.transcript.view import screen_view


async def compact(deps: CompactDeps, *, trigger: Trigger, instructions: str = "", must_fit: bool = False) -> Receipt:
    """Replaces the history by a summary and returns the receipt.

    `must_fit` says that the next request cannot be sent without it. Raises CompactError or ModelError with the history untouched;
    every outcome after the cheap checks is also told as CompactFinished or CompactFailed.
    """
    try:
        view = _worth_compacting(deps)
        asked = await _pre_compact_hooks(deps, trigger, instructions)
        return await _transaction(deps, view, trigger, asked, must_fit=must_fit)
    except asyncio.CancelledError:
        await deps.emit(
            CompactFailed(
                trigger=trigger, reason="Compaction cancelled; the conversation is unchanged.", kind="cancelled"
            )
        )
        raise
    except CcagentError as error:
        vetoed = isinstance(error, CompactVetoed)
        await deps.emit(CompactFailed(trigger=trigger, reason=error.line, kind="vetoed" if vetoed else "failed"))
        raise


async def _transaction(
    deps: CompactDeps, view: Sequence[MessageEntry], trigger: Trigger, instructions: Sequence[str], *, must_fit: bool
) -> Receipt:
    started = deps.clock.monotonic()
    before = deps.reading().used or _size(deps, [entry.message for entry in view])
    await deps.emit(CompactStarted(trigger=trigger, pre_tokens=before))
    kept = keep_tail(view)
    in_loop = bool(view[-1].message.tool_results)
    history = [entry.message for entry in (view if in_loop else view[: len(view) - len(kept)])]
    summary = await summarize(deps, history, instructions, must_fit=must_fit)
    post, restored = await _rebuild(deps, view, kept, summary, before)
    boundary = _install(deps, post, trigger, before, round(1000 * (deps.clock.monotonic() - started)), len(history))
    run_post_compact_cleanup(deps.conversation, deps.frame, deps.frame.query_source)
    deps.conversation.breaker.succeeded(manual=trigger == "manual")
    receipt = Receipt(
        trigger=trigger,
        boundary=boundary.uuid,
        pre_tokens=before,
        post_tokens=boundary.post_tokens,
        summary=summary.text,
        cost=summary.cost,
        duration_ms=boundary.duration_ms,
        messages_summarized=len(history),
        files_restored=tuple(str(item.path) for item in restored),
        extractive=summary.extractive,
    )
    _log(deps, receipt, summary)
    await _post_compact_hooks(deps, receipt)
    await deps.emit(CompactFinished(receipt=receipt))
    return receipt


def _worth_compacting(deps: CompactDeps) -> tuple[MessageEntry, ...]:
    if deps.disabled:
        raise CompactUnavailable(f"Compaction is switched off by {deps.disabled}.", do="/clear starts anew.")
    view = deps.conversation.view()
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


async def _rebuild(
    deps: CompactDeps, view: Sequence[MessageEntry], kept: tuple[MessageEntry, ...], summary: Summary, before: int
) -> tuple[PostCompact, tuple[Restored, ...]]:
    """What will follow the boundary; restored files are shed when with them the next turn would compact again."""
    transcript = deps.conversation.transcript
    reading = deps.reading()
    window = reading.windows.compaction
    said = user_words(
        screen_view(transcript.entries(), transcript.leaf),
        {entry.uuid for entry in kept},
        budget=min(BUDGET, reading.tiers.threshold // 8),
        tokenizer=deps.frame.tokenizer,
    )
    context = [message for provider in deps.providers for message in await provider()]
    restored = restore_files(
        deps.conversation.read_state, window=window, tokenizer=deps.frame.tokenizer, may_read=deps.may_read
    )
    hooks = await _session_start_hooks(deps)
    loop_goes_on = (go_on_message(),) if view[-1].message.tool_results else ()

    def build(files: tuple[Restored, ...]) -> PostCompact:
        attachments = (*context, *(item.message for item in files), *loop_goes_on)
        opening = summary_message(summary.text, said, transcript.path)
        return PostCompact(summary=opening, kept=kept, attachments=attachments, hook_results=hooks)

    post = build(restored)
    if _size(deps, post.messages) >= reading.tiers.threshold:
        restored = ()
        post = build(restored)
    after = _size(deps, post.messages)
    if before > SMALL_HISTORY + deps.frame.overhead and after >= before:
        raise SummaryRejected(
            f"The compacted conversation would not be smaller ({before:,} → {after:,} tokens); it is unchanged."
        )
    return post, restored


def _install(
    deps: CompactDeps, post: PostCompact, trigger: Trigger, before: int, duration_ms: int, summarized: int
) -> CompactBoundary:
    return deps.conversation.transcript.mark_boundary(
        trigger=trigger,
        pre_tokens=before,
        post_tokens=_size(deps, post.messages),
        summary=post.summary,
        kept=[entry.uuid for entry in post.kept],
        attachments=(*post.attachments, *post.hook_results),
        duration_ms=duration_ms,
        messages_summarized=summarized,
    )


async def _session_start_hooks(deps: CompactDeps) -> tuple[Message, ...]:
    hook = HookInput(event=HookEvent.SESSION_START, subject="compact", fields={"source": "compact"})
    return hook_context((await deps.hooks.run(hook, deps.emit)).context)


async def _post_compact_hooks(deps: CompactDeps, receipt: Receipt) -> None:
    fields: dict[str, object] = {"trigger": receipt.trigger, "compact_summary": receipt.summary}
    await deps.hooks.run(HookInput(event=HookEvent.POST_COMPACT, subject=receipt.trigger, fields=fields), deps.emit)


def _size(deps: CompactDeps, messages: Sequence[Message]) -> int:
    return deps.frame.overhead + sum(estimate_message(message, deps.frame.tokenizer) for message in messages)


def _log(deps: CompactDeps, receipt: Receipt, summary: Summary) -> None:
    """The notes' compact event (tengu_compact), to the local log only."""
    reading = deps.reading()
    deps.log.event(
        "compact",
        pre_compact_token_count=receipt.pre_tokens,
        post_compact_token_count=receipt.post_tokens,
        auto_compact_threshold=reading.tiers.threshold,
        will_retrigger_next_turn=receipt.post_tokens >= reading.tiers.threshold,
        is_auto_compact=receipt.trigger == "auto",
        query_source=deps.frame.query_source.value,
        cache_read=summary.usage.cache_read,
        prompt=summary.usage.prompt,
        retries=summary.retries,
        extractive=summary.extractive,
        duration_ms=receipt.duration_ms,
    )
