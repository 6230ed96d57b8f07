"""Markdown that grows: finished blocks are laid out once and sealed, only the open block is laid out again."""

from collections.abc import Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block.table import table
from markdown_it.token import Token
from msgspec import structs

from tui.render.lines import BLANK, Line
from tui.render.markdown_blocks import block_rows, blocks, first_line, last_line, list_rows, list_start
from tui.render.markdown_open import OpenFence, OpenTable, paragraph_cut
from tui.render.safe import clean_piece
from tui.render.theme import Theme

LONG_LIST = 1_024  # characters of an open list beyond which its finished items are sealed
# Off: rules by which a later line changes an earlier block (setext headings, reference definitions), and raw HTML.
_OFF = ["reference", "lheading", "html_block", "html_inline"]


@lru_cache(1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").disable(_OFF)
    # Tables last: markdown-it asks them first, so that a fence or item whose next line is `-|-` would turn into a header.
    parser.block.ruler.before("paragraph", "late_table", table, {"alt": ["paragraph", "reference"]})
    return parser


class IncrementalMarkdown:
    """A document whose rows do not depend on how its source was cut into pieces (property-tested).

    Each flush costs the new text plus the open block; lists, tables and paragraphs that grow long are cut, so that block stays small.
    """

    def __init__(self, width: int, theme: Theme) -> None:
        self._width = width
        self._theme = theme
        self._tail = ""  # source not sealed yet
        self._sealed: list[Line] = []
        self._draft: list[Line] = []
        self._fence: OpenFence | None = None
        self._table: OpenTable | None = None
        self._continues = False  # the tail goes on in a block whose beginning is sealed
        self._number: int | None = None  # of the tail's first item, when an ordered list was cut

    def append(self, text: str) -> None:
        """More source; any text, cleaned here."""
        self._tail += clean_piece(text)

    def flush(self, *, final: bool = False) -> int:
        """Lay out what was appended; the first row that may have changed. `final` closes the document."""
        first = len(self._sealed)
        self._draft = []
        while self._step(final):
            pass
        return first

    @property
    def height(self) -> int:
        """Rows so far."""
        return len(self._sealed) + len(self._draft)

    def row(self, number: int) -> Line:
        """One row, 0 <= number < height."""
        sealed = len(self._sealed)
        return self._sealed[number] if number < sealed else self._draft[number - sealed]

    def rows(self) -> list[Line]:
        """All rows."""
        return [*self._sealed, *self._draft]

    def _step(self, final: bool) -> bool:
        """Seal what can be sealed, draw the rest; True when there may be more to seal."""
        if self._fence is not None:
            return self._step_fence(self._fence, final)
        if self._table is not None:
            return self._step_table(self._table, final)
        lines = self._tail.split("\n")
        tops = list(blocks(_parser().parse(self._tail)))
        complete = len(lines) - (0 if final else 1)
        opened = _last_certain(tops, complete)
        if opened is None and not (tops and tops[0][0].type == "paragraph_open"):
            self._draw(tops)
            return False
        for number, block in enumerate(tops[: opened or 0]):
            self._seal_block(block, _source(lines, tops, number))
        if opened:
            self._keep(lines, first_line(tops[opened]))
            return True
        return self._open(tops, lines, complete, final)

    def _open(self, tops: list[Sequence[Token]], lines: list[str], complete: int, final: bool) -> bool:
        """The first block is the open one: enter it, cut it, close it or only draw it."""
        block = tops[0]
        if block[0].type == "fence":
            self._fence = OpenFence(block[0], lines[first_line(block)], self._width, self._theme)
            self._keep(lines, first_line(block) + 1)
            return True
        if final:
            for number, top in enumerate(tops):
                self._seal_block(top, _source(lines, tops, number))
            self._tail = ""
            return False
        if block[0].type in ("bullet_list_open", "ordered_list_open") and len(self._tail) > LONG_LIST:
            self._cut_list(block, lines, complete)
        elif block[0].type == "table_open" and (
            opened := OpenTable.of(block, lines, complete, self._width, self._theme)
        ):
            self._seal(opened.first_rows)
            self._table = opened
            self._keep(lines, opened.next_line)
            return True
        elif block[0].type == "paragraph_open" and (cut := paragraph_cut(_source(lines, tops, 0))):
            offset = len("\n".join(lines[: first_line(block)])) + (1 if first_line(block) else 0)
            self._seal_paragraph(_source(lines, tops, 0)[: cut[0]])
            self._tail, self._continues = self._tail[offset + cut[1] :], True
            return True
        else:
            self._draw(tops)
            return False
        self._draw(list(blocks(_parser().parse(self._tail))))
        return False

    def _step_fence(self, fence: OpenFence, final: bool) -> bool:
        rows, self._tail, closed = fence.take(self._tail, final)
        self._seal(rows)
        self._continues = bool(rows) or self._continues
        if closed or final:
            self._fence, self._continues = None, False
            return bool(self._tail)
        self._draft = self._separated(fence.draft(self._tail))
        return False

    def _step_table(self, opened: OpenTable, final: bool) -> bool:
        lines = self._tail.split("\n")
        tops = list(blocks(_parser().parse(opened.head + "\n" + self._tail)))
        complete = len(lines) - (0 if final else 1)
        over = len(tops) > 1 and opened.tail_line(tops[1]) + (tops[1][0].type == "table_open") < complete
        sealed, draft, rest = opened.rows(tops[0], complete, whole=over or final)
        self._sealed += sealed
        if over or final:
            self._keep(lines, opened.tail_line(tops[1]) if len(tops) > 1 else len(lines))
            self._table = None
            return bool(self._tail)
        self._keep(lines, rest)
        self._draft = draft
        return False

    def _cut_list(self, block: Sequence[Token], lines: list[str], complete: int) -> None:
        """Seal all items before the last one that certainly began."""
        items = list(blocks(block[1:-1]))
        begun = [number for number, item in enumerate(items) if first_line(item) < complete]
        last = begun[-1] if begun else 0
        if last == 0:
            return
        start = self._first_number(block)
        head = [block[0], *(token for item in items[:last] for token in item), block[-1]]
        rows = list_rows(head, start, self._width, self._theme)
        if first_line(items[last]) > last_line(items[last - 1]):
            rows.append(BLANK)
        self._seal(rows)
        self._keep(lines, first_line(items[last]))
        self._continues = True
        self._number = None if start is None else start + last

    def _seal_block(self, block: Sequence[Token], source: str) -> None:
        if block[0].type == "paragraph_open":
            while cut := paragraph_cut(source):
                self._seal_paragraph(source[: cut[0]])
                source, self._continues = source[cut[1] :], True
            self._seal_paragraph(source)
        else:
            self._seal(self._rows(block))
        self._continues, self._number = False, None

    def _seal_paragraph(self, source: str) -> None:
        for block in blocks(_parser().parse(source)):
            self._seal(self._rows(block))

    def _seal(self, rows: list[Line]) -> None:
        self._sealed += self._separated(rows)

    def _draw(self, tops: list[Sequence[Token]]) -> None:
        self._draft = []
        for number, block in enumerate(tops):
            rows = self._rows(block) if number == 0 else block_rows(block, self._width, self._theme)
            self._draft += self._separated(rows) if number == 0 else [BLANK, *rows]

    def _rows(self, block: Sequence[Token]) -> list[Line]:
        """The rows of the tail's first block, which may go on where a sealed one was cut."""
        if self._continues and block[0].type == "ordered_list_open":
            return list_rows(block, self._first_number(block), self._width, self._theme)
        rows = block_rows(block, self._width, self._theme)
        if self._continues and rows and block[0].type == "paragraph_open":
            rows[0] = structs.replace(rows[0], joint=" ")
        return rows

    def _first_number(self, block: Sequence[Token]) -> int | None:
        start = list_start(block)
        return start if self._number is None or start is None else self._number

    def _separated(self, rows: list[Line]) -> list[Line]:
        return rows if self._continues or not rows or not self._sealed else [BLANK, *rows]

    def _keep(self, lines: list[str], start: int) -> None:
        self._tail = "\n".join(lines[start:])


def _last_certain(tops: list[Sequence[Token]], complete: int) -> int | None:
    """The last block whose kind no further text can change: its deciding line (a table's second) is complete."""
    for number in range(len(tops) - 1, -1, -1):
        deciding = first_line(tops[number]) + (1 if tops[number][0].type == "table_open" else 0)
        if deciding < complete:
            return number
    return None


def _source(lines: list[str], tops: list[Sequence[Token]], number: int) -> str:
    end = first_line(tops[number + 1]) if number + 1 < len(tops) else len(lines)
    return "\n".join(lines[first_line(tops[number]) : end]).rstrip()
