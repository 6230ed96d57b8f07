"""The notes' compact event (tengu_compact), written to the local log and nowhere else."""

from collections.abc import Sequence

from agent.compact.attempt import Attempt
from agent.compact.deps import CompactDeps
from agent.compact.rebuild import Rebuilt
from agent.compact.summarize import Summary
from agent.transcript.entries import CompactBoundary, Entry, MessageEntry
from agent.transcript.view import screen_view


def log_compact_event(
    deps: CompactDeps, attempt: Attempt, boundary: CompactBoundary, summary: Summary, rebuilt: Rebuilt
) -> None:
    """Logs the fields that the notes name.

    Token counts before and after (`true`: with what is attached), the threshold, how the summary was made and paid, and its place in a
    chain of compactions.
    """
    reading = deps.reading()
    threshold = reading.tiers.threshold
    previous, turns = _previous(deps, boundary)
    usage, post = attempt.bill.spent(deps.frame.model).usage, rebuilt.messages
    deps.log.event(
        "compact",
        pre_compact_token_count=boundary.pre_tokens,
        post_compact_token_count=attempt.told(deps.size([post.summary, *(entry.message for entry in post.kept)])),
        true_post_compact_token_count=boundary.post_tokens,
        auto_compact_threshold=threshold,
        will_retrigger_next_turn=reading.auto
        and boundary.post_tokens >= threshold
        and _could_be_less(attempt, threshold),
        is_auto_compact=boundary.trigger == "auto",
        query_source=deps.frame.query_source.value,
        permission_mode=deps.permission_mode,
        cache_read=usage.cache_read,
        cache_creation=usage.cache_creation,
        cache_read_share=_share(usage.cache_read, usage.prompt),
        cache_fragmentation=_share(usage.cache_creation, usage.cache_read + usage.cache_creation),
        retries=summary.retries,
        ptl_retries=summary.shortened,
        extractive=summary.extractive,
        duration_ms=boundary.duration_ms,
        messages_summarized=boundary.messages_summarized,
        files_restored=len(rebuilt.files),
        is_recompaction=previous is not None,
        turns_since_previous=turns,
        previous_id=previous.uuid if previous else None,
    )


def _could_be_less(attempt: Attempt, threshold: int) -> bool:
    """Whether a compaction of everything could come under `threshold`; where none can, none is tried."""
    return attempt.is_part or attempt.room.ceiling <= threshold


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _previous(deps: CompactDeps, boundary: CompactBoundary) -> tuple[CompactBoundary | None, int | None]:
    """The compaction before `boundary` on its chain, and how many answers came between the two."""
    transcript = deps.conversation.transcript
    chain: Sequence[Entry] = screen_view(transcript.entries(), transcript.leaf)
    turns = 0
    for entry in reversed(chain):
        if isinstance(entry, CompactBoundary) and entry.uuid != boundary.uuid:
            return entry, turns
        turns += isinstance(entry, MessageEntry) and entry.message.role == "assistant"
    return None, None
