"""The blocks that are cut while they are still open: fences by line, tables by row, paragraphs by length."""

import re
from collections.abc import Sequence

from markdown_it.token import Token

from tui.render.lines import Line
from tui.render.markdown_blocks import first_line
from tui.render.markdown_code import CodeWriter
from tui.render.markdown_table import SIZING_ROWS, Table, table_rows
from tui.render.theme import Theme

LONG_PARAGRAPH = 4_096  # characters
_BEFORE_WORD = re.compile(r"\s+(?=[^\W\d_])")  # a letter never begins a block other than a paragraph


def paragraph_cut(source: str) -> tuple[int, int] | None:
    """Where a paragraph that is too long to lay out again and again is cut: (end of this piece, begin of the next)."""
    if len(source) <= LONG_PARAGRAPH:
        return None
    found = _BEFORE_WORD.search(source, LONG_PARAGRAPH)
    return found.span() if found else None


class OpenFence:
    """A top-level code fence that has begun."""

    def __init__(self, token: Token, opening: str, width: int, theme: Theme) -> None:
        mark = re.escape(token.markup[0])
        self._close = re.compile(rf" {{0,3}}{mark}{{{len(token.markup)},}}[ \t]*")
        self._dedent = re.compile(rf" {{0,{len(opening) - len(opening.lstrip(' '))}}}")
        self._writer = CodeWriter(token.info, width, theme)

    def take(self, source: str, final: bool) -> tuple[list[Line], str, bool]:
        """The rows of the whole lines in `source`, what is left of it, and whether the closing line came."""
        lines = source.split("\n")
        rest = "" if final and lines[-1] else lines.pop()
        rows: list[Line] = []
        for number, text in enumerate(lines):
            if self._close.fullmatch(text):
                return rows, "\n".join([*lines[number + 1 :], rest]), True
            rows += self._writer.rows(self._dedent.sub("", text, count=1))
        return rows, rest, False

    def draft(self, text: str) -> list[Line]:
        """The unfinished last line."""
        return self._writer.draft(self._dedent.sub("", text, count=1)) if text else []


class OpenTable:
    """A table with enough rows to know its widths; later rows are added one by one."""

    def __init__(self, table: Table, head: str, first_rows: list[Line], next_line: int) -> None:
        self._table = table
        self.head = head
        self.first_rows = first_rows
        self.next_line = next_line

    @classmethod
    def of(
        cls, block: Sequence[Token], lines: list[str], complete: int, width: int, theme: Theme
    ) -> "OpenTable | None":
        """The open table in `block`, or None while rows that decide the widths are missing."""
        rows = [row for row in table_rows(block) if first_line(row) < complete]
        if len(rows) < SIZING_ROWS:
            return None
        top = first_line(block)
        table = Table(rows[0], rows[1:SIZING_ROWS], width, theme)
        drawn = [*table.header(rows[0]), *(line for row in rows[1:] for line in table.body(row))]
        return cls(table, "\n".join(lines[top : top + 2]), drawn, first_line(rows[-1]) + 1)

    def tail_line(self, block: Sequence[Token]) -> int:
        """A block's first line, counted from the tail (the head's two lines stand before it when parsed)."""
        return first_line(block) - 2

    def rows(self, block: Sequence[Token], complete: int, *, whole: bool) -> tuple[list[Line], list[Line], int]:
        """Rows that are certain, rows that are not, and the tail's line where the uncertain ones begin."""
        sealed: list[Line] = []
        draft: list[Line] = []
        rest = 0
        for row in table_rows(block)[1:]:
            number = self.tail_line(row)
            if whole or number < complete:
                sealed += self._table.body(row)
                rest = number + 1
            else:
                draft += self._table.body(row)
        return sealed, draft, rest
