"""Markdown tables for what commands print; the cells may hold anything."""

import re
from collections.abc import Iterable, Sequence

LONGEST = 200  # characters of a cell


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with `head` above it; cells are Markdown without line breaks (use `code` for text from elsewhere)."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def code(text: str) -> str:
    """`text` as a code span, whatever it holds, on one line and cut to what a table can show; "" stays empty."""
    line = " ".join(text.split())
    line = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    if not line:
        return ""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    blank = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{blank}{line}{blank}{fence}"


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|")
