"""Markdown for what commands print, whatever the texts in it hold."""

import re
from collections.abc import Collection, Iterable, Sequence

from agent.protocol.text import one_line

LONGEST = 200  # characters of a cell


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Collection[int] = ()) -> str:
    """A table with `head` above it, the columns in `numbers` (from 0) set to the right; cells are Markdown (use `code` for text from elsewhere)."""
    rule = ["---:" if column in numbers else "---" for column in range(len(head))]
    lines = [head, rule, *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def code(text: str) -> str:
    """`text` as a code span, whatever it holds, on one line and cut to what a table can show; "" stays empty."""
    line = one_line(text, LONGEST)
    if not line:
        return ""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    blank = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{blank}{line}{blank}{fence}"


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|")
