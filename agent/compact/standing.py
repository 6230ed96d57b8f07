"""By how much the compactions that stand at a place of the record make every request shorter."""

from agent.transcript.entries import CompactBoundary
from agent.transcript.ledger import Ledger


def shortened(ledger: Ledger, leaf: int) -> int:
    """Tokens that our compactions before position `leaf` took out, together; what another program's took out nobody billed."""
    chain = ledger.chain
    cuts = [ledger[at] for at in chain.whole_path(leaf) if at in chain.cuts]
    return sum(
        max(0, cut.pre_tokens - cut.post_tokens)
        for cut in cuts
        if isinstance(cut, CompactBoundary) and not (cut.usage is None and cut.cost is None)
    )
