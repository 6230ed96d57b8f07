"""What is forgotten after a compaction; main-thread state only when the main thread compacted (design note 001 section 5)."""

from agent.compact.deps import CompactDeps
from agent.protocol.source import is_main_thread


def run_post_compact_cleanup(deps: CompactDeps, query_source: str | None, scale: float = 1.0) -> None:
    """The notes' steps as far as there is such state here (docs/decisions names each); a side thread (`agent:x`) touches none of it.

    The meter takes `scale` from what stood there before. What was announced once (`Conversation.untold`) stays announced.
    """
    if not is_main_thread(query_source):
        return
    conversation = deps.conversation
    conversation.pending_clears = ()  # the results that were to be cleared are no longer there
    deps.context_given()
    conversation.meter.rewritten(conversation.messages(), deps.frame.overhead, scale)
