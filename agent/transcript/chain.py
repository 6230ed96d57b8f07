"""The DAG over a transcript: who follows whom, with every broken link healed and named."""

from collections import Counter
from enum import Enum, auto

from msgspec import Struct

from agent.transcript.entries import LEAF
from agent.transcript.lines import Head

NOBODY = -1
MAX_LATE_PARENTS = 1_000  # each costs a walk to the root; a file in worse disorder stays in file order


class Kind(Enum):
    """What a node is to the chain."""

    USER = auto()
    ASSISTANT = auto()
    ATTACHMENT = auto()
    BOUNDARY = auto()
    OTHER = auto()  # a marker: with a uuid a link that nobody sees, without one no link at all


SAID = (Kind.USER, Kind.ASSISTANT, Kind.ATTACHMENT)


class Node(Struct, gc=False):
    """One record's place; `parent` and `child` (its first) are positions in file order, NOBODY for none."""

    uuid: str
    kind: Kind
    parent: int = NOBODY
    child: int = NOBODY
    message_id: str = ""
    sidechain: bool = False
    summary: bool = False


class Cut(Struct, gc=False):
    """What a boundary says: where the conversation stood `before` it (`logical`: in its words), and what was `kept` after which record."""

    before: int
    logical: str
    anchor: str
    kept: tuple[str, ...]
    among: frozenset[str]


class Chain:
    """Nodes in file order; no walk along parents or through boundaries can run in a circle.

    A record whose parent is missing, itself, or its own descendant hangs on the record that was the end of the conversation when it
    was written; `healed` counts these by name.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.cuts: dict[int, Cut] = {}
        self.forks: dict[int, list[int]] = {}
        self.leaf = NOBODY
        self.healed: Counter[str] = Counter()
        self._positions: dict[str, int] = {}
        self._waiting: dict[str, list[int]] = {}
        self._late = 0
        self._tail = NOBODY
        self._cut = NOBODY
        self._open_batch = 0
        self._returned_to: set[int] = set()

    @property
    def leaf_uuid(self) -> str | None:
        """The uuid of the conversation's last record, None at its very beginning."""
        return None if self.leaf == NOBODY else self.nodes[self.leaf].uuid

    def position(self, uuid: str | None) -> int:
        """Where the record with `uuid` stands, NOBODY when there is none."""
        return NOBODY if uuid is None else self._positions.get(uuid, NOBODY)

    def children(self, position: int) -> list[int]:
        """Who follows, in the order in which they were attached."""
        first = self.nodes[position].child
        return [] if first == NOBODY else [first, *self.forks.get(position, ())]

    def path(self, leaf: int) -> list[int]:
        """Positions from the last root (a boundary, or the beginning) to `leaf`."""
        found = []
        while leaf != NOBODY:
            found.append(leaf)
            leaf = self.nodes[leaf].parent
        found.reverse()
        return found

    def whole_path(self, leaf: int) -> list[int]:
        """Like `path`, through the boundaries to the very beginning."""
        parts: list[list[int]] = []
        while leaf != NOBODY:
            parts.append(self.path(leaf))
            root = parts[-1][0]
            leaf = self.cuts[root].before if root in self.cuts else NOBODY
        return [position for part in reversed(parts) for position in part]

    def kept(self, boundary: int) -> list[int]:
        """Positions of what a boundary kept, in order; missing ones are left out."""
        return [at for uuid in self.cuts[boundary].kept if (at := self.position(uuid)) != NOBODY]

    def missing_kept(self) -> int:
        """How many messages that boundaries kept are nowhere in the file."""
        return sum(uuid not in self._positions for cut in self.cuts.values() for uuid in cut.kept)

    def unfinished_compaction(self) -> bool:
        """Whether the file ends within a compaction's records, which then did not happen."""
        return self._open_batch > 0

    def add(self, head: Head) -> None:
        """Adds the next record of the file; of records with one uuid the first counts."""
        position, uuid = len(self.nodes), head.uuid or ""
        if uuid in self._positions:
            self.healed["duplicate"] += not self._kept_now(uuid)
            self.nodes.append(Node(uuid="", kind=Kind.OTHER))
            return
        node = _node(head)
        self.nodes.append(node)
        if not uuid:
            if head.type == LEAF:
                self._return_to(self.position(head.leaf_uuid))
            return
        self._positions[uuid] = position
        if node.kind is Kind.BOUNDARY:
            self._add_boundary(position, node, head)
        else:
            self._link(position, node, head)
        if uuid in self._waiting:
            self._hang_late(position, self._waiting.pop(uuid))
        if not node.sidechain:
            self._advance(position, node)

    def _return_to(self, target: int) -> None:
        self.leaf = self._tail = target
        self._open_batch = 0
        self._returned_to.add(target)

    def _add_boundary(self, position: int, node: Node, head: Head) -> None:
        metadata = head.metadata
        logical = head.logical_parent_uuid or head.parent_uuid or ""
        kept = metadata.kept or self._between(metadata.ends)
        known = self.position(logical)
        before = self._tail if known in (NOBODY, position) else known
        self.cuts[position] = Cut(before, logical, metadata.anchor_uuid, kept, frozenset(kept))
        if not node.sidechain:
            self._cut = position
            self._open_batch = metadata.batch_records
            self._returned_to.clear()

    def _between(self, ends: tuple[str, str] | None) -> tuple[str, ...]:
        """The uuids from the first to the last of `ends`, when the one leads to the other."""
        if ends is None:
            return ()
        first, path = self.position(ends[0]), self.path(self.position(ends[1]))
        return tuple(self.nodes[at].uuid for at in path[path.index(first) :]) if first in path else ()

    def _kept_now(self, uuid: str) -> bool:
        return self._cut != NOBODY and uuid in self.cuts[self._cut].among

    def _link(self, position: int, node: Node, head: Head) -> None:
        if head.parent_uuid is None:
            return
        parent = self.position(head.parent_uuid)
        if parent == position:
            self.healed["self-parent"] += 1
            parent = self._tail
        elif parent == NOBODY:
            self.healed["missing parent"] += 1
            self._waiting.setdefault(head.parent_uuid, []).append(position)
            parent = self._tail
        elif not node.sidechain and self._cut != NOBODY:
            if self._open_batch and parent < self._cut:
                self._open_batch, self._cut = 0, NOBODY  # the compaction was cut off and did not happen
            else:
                parent = self._past_the_cut(node, parent)
        self._attach(position, parent)

    def _past_the_cut(self, node: Node, parent: int) -> int:
        """Where a record after the latest boundary really hangs.

        Claude Code hangs what follows a compaction on the last kept message: here it hangs on what the kept ones stand after. A kept
        message that was written again hangs where the conversation stood before, so that the old history stays whole. What was
        appended after a return to a kept message (undo) does follow it.
        """
        cut = self.cuts[self._cut]
        anchor = self.position(cut.anchor)
        if node.uuid in cut.among:
            return cut.before if parent in (anchor, self._cut) else parent
        if (
            anchor != NOBODY
            and node.uuid != cut.anchor
            and parent not in self._returned_to
            and self.nodes[parent].uuid in cut.among
        ):
            return anchor
        return parent

    def _attach(self, position: int, parent: int) -> None:
        self.nodes[position].parent = parent
        if parent == NOBODY:
            return
        if self.nodes[parent].child == NOBODY:
            self.nodes[parent].child = position
        else:
            self.forks.setdefault(parent, []).append(position)

    def _detach(self, position: int) -> None:
        parent = self.nodes[position].parent
        if parent == NOBODY:
            return
        others = [child for child in self.children(parent) if child != position]
        self.nodes[parent].child = others[0] if others else NOBODY
        self.forks.pop(parent, None)
        if len(others) > 1:
            self.forks[parent] = others[1:]

    def _hang_late(self, position: int, children: list[int]) -> None:
        """Hangs children that were written before their parent on it, unless that would close a circle."""
        for child in children:
            self._late += 1
            if self._late > MAX_LATE_PARENTS:
                return
            self.healed["missing parent"] -= 1
            if child in self.whole_path(position):
                self.healed["circle"] += 1
                continue
            self._detach(child)
            self._attach(child, position)

    def _advance(self, position: int, node: Node) -> None:
        """The end of the conversation moves with what is said; a compaction's records count when the last of them is there.

        A kept message that is written again moves nothing, but may be what the boundary names as the end before it.
        """
        if self._kept_now(node.uuid):
            cut = self.cuts[self._cut]
            if node.uuid == cut.logical and self._cut not in self.whole_path(position):
                cut.before = position
            return
        self._tail = position
        if node.kind not in SAID:
            return
        if self._open_batch and node.parent >= self._cut:
            self._open_batch -= 1
            if self._open_batch:
                return
        self._open_batch = 0
        self.leaf = position


def _node(head: Head) -> Node:
    kind = kind_of(head)
    return Node(
        uuid=head.uuid or "",
        kind=kind,
        message_id=(head.message.id or "") if kind is Kind.ASSISTANT and head.message else "",
        sidechain=bool(head.is_sidechain),
        summary=bool(head.is_compact_summary),
    )


def kind_of(head: Head) -> Kind:
    """What a record is to the chain."""
    if head.is_boundary:
        return Kind.BOUNDARY
    if head.is_message:
        return Kind.ASSISTANT if head.type == "assistant" else Kind.USER
    return Kind.ATTACHMENT if head.type == "attachment" and head.uuid else Kind.OTHER
