"""What is forgotten after a compaction; main-thread state only when the main thread compacted (design note 001 section 5)."""

from agent.compact.conversation import Conversation
from agent.context.frame import Frame
from agent.protocol.source import QuerySource


def run_post_compact_cleanup(conversation: Conversation, frame: Frame, query_source: QuerySource) -> None:
    """Re-anchors the meter on the rewritten history; a side request leaves the main thread's state alone."""
    if query_source.is_main_thread:
        conversation.meter.rewritten(conversation.messages(), frame.overhead)
