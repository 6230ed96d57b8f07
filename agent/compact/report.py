"""The receipt of a compaction, in the words of the screen."""

from agent.protocol.results import Receipt


def receipt_line(receipt: Receipt) -> str:
    """`Conversation compacted · A → B tokens (manual|auto) · rules n/n · files n/n · k repaired · $x · /compact undo`."""
    parts = [
        "Conversation compacted",
        f"{receipt.pre_tokens:,} → {receipt.post_tokens:,} tokens ({receipt.trigger})",
    ]
    if receipt.rules is not None and receipt.files is not None:
        parts.append(f"rules {receipt.rules.kept}/{receipt.rules.total}")
        parts.append(f"files {receipt.files.kept}/{receipt.files.total}")
        parts.append(f"{receipt.repaired} repaired")
    if receipt.extractive:
        parts.append("extracted without a model")
    if receipt.cost is not None:
        parts.append(dollars(receipt.cost))
    return " · ".join([*parts, "/compact undo"])


def dollars(amount: float) -> str:
    """An amount as the screen says it: cents, and below a cent four digits."""
    return f"${amount:.4f}" if amount < 0.01 else f"${amount:.2f}"
