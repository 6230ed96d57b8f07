"""The notes' compact event (tengu_compact), written to the local log and nowhere else."""

from agent.compact.deps import CompactDeps
from agent.compact.summarize import Summary
from agent.transcript.entries import CompactBoundary
from agent.transcript.view import screen_view


def log_compact_event(deps: CompactDeps, boundary: CompactBoundary, summary: Summary) -> None:
    """Token counts before and after, the threshold, how the summary was made and paid, and its place in a chain of compactions."""
    threshold = deps.reading().tiers.threshold
    previous = _previous(deps, boundary)
    usage = summary.usage
    deps.log.event(
        "compact",
        pre_compact_token_count=boundary.pre_tokens,
        post_compact_token_count=boundary.post_tokens,
        true_post_compact_token_count=deps.size(deps.conversation.messages()),
        auto_compact_threshold=threshold,
        will_retrigger_next_turn=boundary.post_tokens >= threshold,
        is_auto_compact=boundary.trigger == "auto",
        query_source=deps.frame.query_source.value,
        cache_read=usage.cache_read,
        cache_creation=usage.cache_creation,
        cache_read_share=round(usage.cache_read / usage.prompt, 4) if usage.prompt else None,
        retries=summary.retries,
        extractive=summary.extractive,
        duration_ms=boundary.duration_ms,
        is_recompaction=previous is not None,
        turns_since_previous=deps.conversation.breaker.turns_since,
        previous_id=previous.uuid if previous else None,
    )


def _previous(deps: CompactDeps, boundary: CompactBoundary) -> CompactBoundary | None:
    transcript = deps.conversation.transcript
    chain = screen_view(transcript.entries(), transcript.leaf)
    earlier = (entry for entry in reversed(chain) if isinstance(entry, CompactBoundary) and entry.uuid != boundary.uuid)
    return next(earlier, None)
