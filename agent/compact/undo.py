"""Takes a compaction back, and forward again: only the leaf moves, so the next request carries the very bytes it had."""

from agent.compact.conversation import Conversation
from agent.context.frame import Frame
from agent.protocol.errors import CompactError
from agent.transcript.entries import CompactBoundary
from agent.transcript.view import screen_view


class UndoLog:
    """The leaves that undo has left, so that redo can return to them."""

    def __init__(self) -> None:
        self._left: list[str | None] = []

    def undo(self, conversation: Conversation, frame: Frame) -> int:
        """Re-activates what the latest compaction summarised; returns how many later messages now stand on the other branch."""
        boundary = _latest_boundary(conversation)
        if boundary is None:
            raise CompactError("There is no compaction to undo.")
        view = conversation.view()
        later = sum(1 for entry in view if entry.message.role == "assistant" and entry.uuid not in boundary.kept)
        self._left.append(conversation.transcript.leaf)
        conversation.transcript.move_leaf(boundary.logical_parent_uuid)
        conversation.meter.rewritten(conversation.messages(), frame.overhead)
        return later

    def redo(self, conversation: Conversation, frame: Frame) -> None:
        """Returns to where the last undo came from."""
        if not self._left:
            raise CompactError("There is no undone compaction to redo.")
        conversation.transcript.move_leaf(self._left.pop())
        conversation.meter.rewritten(conversation.messages(), frame.overhead)


def _latest_boundary(conversation: Conversation) -> CompactBoundary | None:
    transcript = conversation.transcript
    on_chain = screen_view(transcript.entries(), transcript.leaf)
    return next((entry for entry in reversed(on_chain) if isinstance(entry, CompactBoundary)), None)
