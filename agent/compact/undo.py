"""Takes a compaction back, and forward again: only the leaf moves, so the next request carries the very bytes it had."""

from collections.abc import Iterator

from msgspec import Struct

from agent.compact.conversation import Conversation
from agent.context.frame import Frame
from agent.protocol.errors import CompactError
from agent.transcript.chain import NOBODY, Kind
from agent.transcript.entries import LEAF, MOVED_FROM, MetaEntry
from agent.transcript.ledger import Ledger


class Undone(Struct, frozen=True):
    """A compaction that was taken back (the position of its boundary), and the leaf that was left for it."""

    boundary: int
    leaf: int


class Moves:
    """What the leaf records of a transcript tell: the compactions that can be redone, and where each redo came from.

    Derived from the file each time, so that undo and redo go on after a resume.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.undone: list[Undone] = []
        self.came_from: dict[int, int] = {}
        self._ledger = ledger
        for at in _marks(ledger):
            if at in ledger.chain.cuts:
                self.undone.clear()  # a new compaction: what was undone before it is another story
            else:
                self._follow(ledger[at])

    def boundaries(self, leaf: int) -> list[int]:
        """The boundaries that stand before `leaf`, oldest first."""
        chain = self._ledger.chain
        return [at for at in chain.whole_path(leaf) if at in chain.cuts]

    def answers_only_at(self, leaf: int, other: int) -> int:
        """How many answers can be seen at `leaf` and not at `other`."""
        chain = self._ledger.chain
        seen = set(chain.whole_path(other))
        return sum(1 for at in chain.whole_path(leaf) if at not in seen and chain.nodes[at].kind is Kind.ASSISTANT)

    def _follow(self, record: object) -> None:
        if not isinstance(record, MetaEntry) or record.kind != LEAF or MOVED_FROM not in record.fields:
            return
        source, target = self._position(record.fields[MOVED_FROM]), self._position(record.fields.get("leafUuid"))
        before, after = self.boundaries(source), self.boundaries(target)
        gone = [at for at in before if at not in after]
        come = [at for at in after if at not in before]
        self.undone = [item for item in self.undone if item.boundary not in come]
        self.came_from |= dict.fromkeys(come, source)
        if gone:
            self.undone.append(Undone(boundary=gone[-1], leaf=source))

    def _position(self, uuid: object) -> int:
        return self._ledger.chain.position(uuid if isinstance(uuid, str) else None)


def undo(conversation: Conversation, frame: Frame) -> int:
    """Re-activates what the latest compaction summarised; returns how many later answers now stand on the other branch.

    Raises CompactError when there is nothing to undo. Undoing what was redone returns to where the redo came from.
    """
    ledger = conversation.transcript.entries()
    moves, leaf = Moves(ledger), ledger.chain.leaf
    boundaries = moves.boundaries(leaf)
    if not boundaries:
        raise CompactError("There is no compaction to undo.")
    latest = boundaries[-1]
    aside = _move(conversation, frame, moves, moves.came_from.get(latest, ledger.chain.cuts[latest].before))
    for path, stamp in conversation.stamps_before.pop(ledger.chain.nodes[latest].uuid, {}).items():
        conversation.read_state.set(path, stamp)  # the model reads the file again as it was before
    return aside


def redo(conversation: Conversation, frame: Frame) -> int:
    """Returns to where the last undo came from; returns how many answers given since then now stand on the other branch.

    Raises CompactError when nothing is undone.
    """
    moves = Moves(conversation.transcript.entries())
    if not moves.undone:
        raise CompactError("There is no undone compaction to redo.")
    return _move(conversation, frame, moves, moves.undone[-1].leaf)


def _move(conversation: Conversation, frame: Frame, moves: Moves, target: int) -> int:
    chain = conversation.transcript.entries().chain
    aside = moves.answers_only_at(chain.leaf, target)
    conversation.transcript.move_leaf(None if target == NOBODY else chain.nodes[target].uuid)
    conversation.moved(frame.overhead)
    return aside


def _marks(ledger: Ledger) -> Iterator[int]:
    """The places of boundaries and of records that may be leaf records, in file order."""
    chain = ledger.chain
    return (
        at for at, node in enumerate(chain.nodes) if at in chain.cuts or (node.kind is Kind.OTHER and not node.uuid)
    )
