"""The receipt of a compaction, in the words of the screen."""

from agent.protocol.results import Receipt


def receipt_line(receipt: Receipt) -> str:
    """`Conversation compacted · A → B tokens (manual|auto) · files n · $x · /compact undo`."""
    parts = [
        "Conversation compacted",
        f"{receipt.pre_tokens:,} → {receipt.post_tokens:,} tokens ({receipt.trigger})",
    ]
    if receipt.files_restored:
        parts.append(f"files {len(receipt.files_restored)}")
    if receipt.extractive:
        parts.append("extracted without a model")
    if receipt.cost is not None:
        parts.append(f"${receipt.cost:.4f}" if receipt.cost < 0.01 else f"${receipt.cost:.2f}")
    return " · ".join([*parts, "/compact undo"])
