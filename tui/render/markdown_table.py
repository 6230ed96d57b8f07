"""Tables: column widths come from the first rows and then stand, so that a table can grow without being drawn again."""

from collections.abc import Iterator, Sequence

from markdown_it.token import Token
from rich.cells import cell_len
from rich.segment import Segment

from tui.render.lines import Line, line
from tui.render.markdown_spans import inline_spans
from tui.render.theme import Theme
from tui.render.wrap import Span, wrap_spans

SIZING_ROWS = 40  # rows (with the header) that decide the widths
MIN_COLUMN = 4
BETWEEN = " │ "


class Table:
    """The widths and alignments of one table."""

    def __init__(self, header: Sequence[Token], sizing: Sequence[Sequence[Token]], width: int, theme: Theme) -> None:
        self._theme = theme
        self._aligns = [_align(token) for token in header if token.type == "th_open"]
        natural = [_natural(row, theme) for row in (header, *sizing)]
        columns = max(1, len(self._aligns))
        wanted = [max((row[c] for row in natural if c < len(row)), default=1) or 1 for c in range(columns)]
        self._widths = _fit(wanted, width - len(BETWEEN) * (columns - 1))
        self._table: list[Sequence[Token]] = []

    @classmethod
    def of(cls, block: Sequence[Token], width: int, theme: Theme) -> "Table":
        """The table in a `table_open` … `table_close` block."""
        header, *body = table_rows(block)
        table = cls(header, body[: SIZING_ROWS - 1], width, theme)
        table._table = [header, *body]
        return table

    def rows(self) -> list[Line]:
        """The whole table."""
        header, *body = self._table
        return [*self.header(header), *(row for tokens in body for row in self.body(tokens))]

    def header(self, tokens: Sequence[Token]) -> list[Line]:
        """The header and the rule under it."""
        rule = "─┼─".join("─" * width for width in self._widths)
        return [*self.body(tokens), line((rule, self._theme.rule), gutter=len(rule))]

    def body(self, tokens: Sequence[Token]) -> list[Line]:
        """One table row; cells wrap within their column."""
        spans = _cells(tokens, self._theme)[: len(self._widths)]
        cells = [wrap_spans(cell, width) for cell, width in zip(spans, self._widths, strict=False)]
        cells += [[Line()]] * (len(self._widths) - len(cells))
        return [
            self._row([cell[at] if at < len(cell) else Line() for cell in cells]) for at in range(max(map(len, cells)))
        ]

    def _row(self, cells: list[Line]) -> Line:
        segments: list[Segment] = []
        last = len(cells) - 1
        for column, (cell, width, align) in enumerate(zip(cells, self._widths, self._aligns, strict=False)):
            before, after = _padding(align, width - cell.width)
            segments += (Segment(" " * before, self._theme.text), *cell.segments)
            if column < last:
                segments += (Segment(" " * after, self._theme.text), Segment(BETWEEN, self._theme.rule))
        return Line(tuple(segment for segment in segments if segment.text))


def table_rows(block: Sequence[Token]) -> list[Sequence[Token]]:
    """The rows of a table block, header first, each from `tr_open` to `tr_close`."""
    return list(_table_rows(block))


def _table_rows(block: Sequence[Token]) -> Iterator[Sequence[Token]]:
    start = 0
    for at, token in enumerate(block):
        if token.type == "tr_open":
            start = at
        elif token.type == "tr_close":
            yield block[start : at + 1]


def _cells(row: Sequence[Token], theme: Theme) -> list[list[Span]]:
    bold = theme.text + theme.strong
    return [
        inline_spans(row[at + 1], bold if token.type == "th_open" else theme.text, theme)
        for at, token in enumerate(row)
        if token.type in ("th_open", "td_open")
    ]


def _natural(row: Sequence[Token], theme: Theme) -> list[int]:
    return [max(map(cell_len, "".join(text for text, _ in cell).split("\n"))) for cell in _cells(row, theme)]


def _align(token: Token) -> str:
    return str(token.attrs.get("style", "")).removeprefix("text-align:")


def _padding(align: str, room: int) -> tuple[int, int]:
    room = max(0, room)
    match align:
        case "right":
            return room, 0
        case "center":
            return room // 2, room - room // 2
        case _:
            return 0, room


def _fit(wanted: list[int], available: int) -> list[int]:
    """Widths that fit `available` cells: the widest columns give way, none below 4 unless it was."""
    widths = list(wanted)
    while sum(widths) > available and max(widths) > MIN_COLUMN:
        widest = widths.index(max(widths))
        widths[widest] -= max(1, min(widths[widest] - MIN_COLUMN, (sum(widths) - available + 1) // 2))
    return widths
