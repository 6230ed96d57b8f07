"""The words of /compact diff, as Markdown."""

from agent.compact.diff import CompactDiff, Fate, Kind, Piece
from agent.protocol.markdown import code, table

LISTED = 8  # items of each fate

_TITLES = {
    Fate.SUMMARISED: "Largest of what only the summary speaks for",
    Fate.DROPPED: "Largest of what was dropped",
}


def diff_text(diff: CompactDiff) -> str:
    """Before and after; a table of kinds by fate in tokens; what came in; the largest items that went, with where to find them."""
    parts = [
        "## What the compaction did",
        _sizes(diff),
        _table(diff),
        "Kept: the same words stand in the context now. Summarised: the summary speaks for it, or its file or command is named. "
        "Dropped: nothing in the context speaks of it. Thinking is never carried over. "
        "Sizes with a ~ are estimates block by block, without system prompt and tools: they need not add up to what was counted.",
        _added(diff),
        *(part for fate in (Fate.SUMMARISED, Fate.DROPPED) if (part := _largest(diff, fate))),
        f"All of it can be searched and read in `{diff.folder}`; `/compact undo` takes it back.",
    ]
    return "\n\n".join(parts)


def _sizes(diff: CompactDiff) -> str:
    boundary = diff.boundary
    return f"{boundary.pre_tokens:,} → {boundary.post_tokens:,} tokens ({boundary.trigger}), {boundary.timestamp[:16].replace('T', ' ')} UTC"


def _table(diff: CompactDiff) -> str:
    sums = {kind.value: [diff.tokens(fate, kind) for fate in Fate] for kind in Kind}
    sums["all"] = [diff.tokens(fate) for fate in Fate]
    rows = [(name, *map(_number, row)) for name, row in sums.items() if any(row) or name == "all"]
    return table(("Tokens of", *Fate), rows, numbers=range(1, 1 + len(Fate)))


def _added(diff: CompactDiff) -> str:
    return "\n".join(["Came in with it:", "", *(f"- ~{tokens:,} {code(name)}" for name, tokens in diff.added)])


def _largest(diff: CompactDiff, fate: Fate) -> str:
    pieces = diff.largest(fate, LISTED)
    return "\n".join([f"{_TITLES[fate]}:", "", *map(_row, pieces)]) if pieces else ""


def _row(piece: Piece) -> str:
    return f"- ~{piece.tokens:,} {piece.kind.value}: {code(piece.name)} · `{piece.record}`"


def _number(tokens: int) -> str:
    return f"~{tokens:,}" if tokens else "-"
