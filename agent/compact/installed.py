"""What a compaction put into the conversation: where that ends in the record, and what was said of its size."""

from msgspec import Struct

from agent.transcript.entries import CompactBoundary, MessageEntry
from agent.transcript.ledger import Ledger
from agent.transcript.view import model_view


class Installed(Struct, frozen=True):
    """The first `messages` of the view are as the compaction at the place `at` left them.

    They came to `tokens`, as was told then by the measure of `model` ("" unknown).
    """

    at: int
    messages: int
    tokens: int
    model: str


def installed(ledger: Ledger, leaf: str | None) -> Installed | None:
    """The compaction in force; None when there is none, or its record does not tell what came with it: a foreign one."""
    chain = ledger.chain
    at = next((at for at in reversed(chain.path(chain.position(leaf))) if at in chain.cuts), None)
    boundary = None if at is None else ledger[at]
    if at is None or not isinstance(boundary, CompactBoundary) or not boundary.batch or boundary.post_tokens <= 0:
        return None
    messages = len(model_view(ledger, last_of(ledger, boundary)))
    return Installed(at, messages, boundary.post_tokens, boundary.model or _last_model(ledger, boundary))


def _last_model(ledger: Ledger, boundary: CompactBoundary) -> str:
    """Who answered last before it: a boundary of an earlier version does not say who counted."""
    path = ledger.chain.path(ledger.chain.position(boundary.logical_parent_uuid))
    entries = (ledger[at] for at in reversed(path))
    return next((entry.model for entry in entries if isinstance(entry, MessageEntry) and entry.model), "")


def last_of(ledger: Ledger, boundary: CompactBoundary) -> str | None:
    """The last record that was written with `boundary`; where a foreign one does not say, its summary."""
    at = ledger.chain.position(boundary.uuid)
    last = at
    path = ledger.chain.path(ledger.chain.leaf)
    wanted = boundary.batch or 1
    for place in path[path.index(at) + 1 :] if at in path else ():
        last, wanted = place, wanted - 1
        if not wanted:
            break
    return ledger.chain.nodes[last].uuid
