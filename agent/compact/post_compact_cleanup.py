"""What is forgotten after a compaction; main-thread state only when the main thread compacted (design note 001 section 5)."""

from agent.compact.conversation import Conversation
from agent.context.frame import Frame
from agent.protocol.source import is_main_thread


def run_post_compact_cleanup(conversation: Conversation, frame: Frame, query_source: str | None) -> None:
    """Re-anchors the meter on the rewritten history; the compaction of a side thread (`agent:x`) leaves the main thread's state alone."""
    if is_main_thread(query_source):
        conversation.meter.rewritten(conversation.messages(), frame.overhead)
