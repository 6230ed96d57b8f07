"""The walk along a conversation that every signature is bound to: digests over what was said, and over the thinking."""

import msgspec

from agent.rehearsal.prompt import Piece, canonical, chain
from agent.rehearsal.seals import unseal
from agent.rehearsal.wire import Json, as_text, kind


class SummarySeal(msgspec.Struct, frozen=True, array_like=True):
    """What a compaction block's signature vouches for.

    `root` and `prefix` digest the conversation that it summarises, `role` spoke last there, `under` is the compaction
    block at the head of that conversation, `content` and `changes` digest the block's own fields.
    """

    root: bytes
    prefix: bytes
    role: str
    under: bytes
    content: bytes
    changes: bytes


class Walk:
    """How far a request has been read.

    `prefix` digests everything but thinking, `previous` names the last thinking block, `summary` the compaction block at the head and
    `under` the one which that block itself stands on.
    """

    def __init__(self, root: bytes) -> None:
        self.root = root
        self.prefix = root
        self.previous = b""
        self.summary = b""
        self.under = b""

    def go(self, piece: Piece, block: Json) -> None:
        """Go past a block that is not thinking. A compaction block leads to where the messages ended that it replaces."""
        if kind(block) == "compaction":
            self.adopt(block)
        else:
            self.prefix = chain(self.prefix, piece.content)

    def adopt(self, block: Json) -> None:
        """Go on from the end of what a compaction block summarises."""
        self.summary = chain(b"compaction", canonical(block))
        found = read_seal(block)
        signed = found is not None and found.root == self.root
        self.prefix = found.prefix if found is not None and signed else chain(self.root, self.summary)
        self.under = found.under if found is not None and signed else self.summary


def read_seal(block: Json) -> SummarySeal | None:
    """What a compaction block's signature says, or None for an unsigned block or a signature not made here."""
    return unseal(as_text(block.get("signature")), "compaction", SummarySeal)
