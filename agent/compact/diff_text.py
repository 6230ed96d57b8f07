"""The words of /compact diff, as Markdown."""

from agent.compact.diff import CompactDiff, Fate, Kind, Piece

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
        "Dropped: nothing in the context speaks of it. Thinking is never carried over.",
        _added(diff),
        *(part for fate in (Fate.SUMMARISED, Fate.DROPPED) if (part := _largest(diff, fate))),
        f"All of it can be searched and read in `{diff.folder}`; `/compact undo` takes it back.",
    ]
    return "\n\n".join(parts)


def _sizes(diff: CompactDiff) -> str:
    boundary = diff.boundary
    return f"{boundary.pre_tokens:,} → {boundary.post_tokens:,} tokens ({boundary.trigger}), {boundary.timestamp[:16].replace('T', ' ')} UTC"


def _table(diff: CompactDiff) -> str:
    lines = ["| Tokens of | kept | summarised | dropped |", "|---|---:|---:|---:|"]
    for kind in Kind:
        sums = [diff.tokens(fate, kind) for fate in Fate]
        if any(sums):
            lines.append(f"| {kind.value} | {' | '.join(_number(tokens) for tokens in sums)} |")
    lines.append(f"| all | {' | '.join(_number(diff.tokens(fate)) for fate in Fate)} |")
    return "\n".join(lines)


def _added(diff: CompactDiff) -> str:
    return "\n".join(["Came in with it:", "", *(f"- ~{tokens:,} {_code(name)}" for name, tokens in diff.added)])


def _largest(diff: CompactDiff, fate: Fate) -> str:
    pieces = diff.largest(fate, LISTED)
    return "\n".join([f"{_TITLES[fate]}:", "", *map(_row, pieces)]) if pieces else ""


def _row(piece: Piece) -> str:
    return f"- ~{piece.tokens:,} {piece.kind.value}: {_code(piece.name)} · `{piece.record}`"


def _number(tokens: int) -> str:
    return f"~{tokens:,}" if tokens else "-"


def _code(text: str) -> str:
    """A code span that nothing in `text` can end."""
    return f"`{text.replace('`', chr(39))}`"
