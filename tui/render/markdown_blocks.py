"""Block Markdown: tokens as rows; every decision here is local, so that a growing document can be cut between blocks and items."""

from collections.abc import Iterator, Sequence

from markdown_it.token import Token
from rich.style import Style

from tui.render.lines import BLANK, Line, indent, line
from tui.render.markdown_code import code_rows
from tui.render.markdown_spans import inline_spans
from tui.render.markdown_table import Table
from tui.render.theme import Theme
from tui.render.wrap import Span, wrap_spans

MIN_WIDTH = 8


def blocks(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The sibling blocks in `tokens`: each from its opening token to its closing one."""
    start = depth = 0
    for at, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield tokens[start : at + 1]
            start = at + 1


def block_rows(block: Sequence[Token], width: int, theme: Theme) -> list[Line]:
    """One block's rows, without a blank row after it."""
    width = max(MIN_WIDTH, width)
    head = block[0]
    match head.type:
        case "heading_open":
            style = theme.title if head.tag == "h1" else theme.heading
            return wrap_spans(_inline(block, theme.text + style, theme), width)
        case "paragraph_open":
            return wrap_spans(_inline(block, theme.text, theme), width)
        case "fence" | "code_block":
            return code_rows(head.content, head.info, width, theme)
        case "hr":
            return [line(("─" * width, theme.rule))]
        case "bullet_list_open" | "ordered_list_open":
            return list_rows(block, list_start(block), width, theme)
        case "blockquote_open":
            inner = _nested(block[1:-1], width - 2, theme)
            return indent(inner, "▌ ", "▌ ", theme.quote)
        case "table_open":
            return Table.of(block, width, theme).rows()
        case _:
            return wrap_spans([(head.content.rstrip("\n"), theme.text)], width)


def list_start(block: Sequence[Token]) -> int | None:
    """The first number of an ordered list, None for bullets."""
    head = block[0]
    return int(head.attrs.get("start", 1)) if head.type == "ordered_list_open" else None


def list_rows(block: Sequence[Token], start: int | None, width: int, theme: Theme) -> list[Line]:
    """A list's items; a blank row stands between two of them where the source has one."""
    rows: list[Line] = []
    previous: Sequence[Token] | None = None
    for offset, item in enumerate(blocks(block[1:-1])):
        if previous is not None and _gap(previous, item):
            rows.append(BLANK)
        rows += item_rows(item, None if start is None else start + offset, width, theme)
        previous = item
    return rows


def item_rows(item: Sequence[Token], number: int | None, width: int, theme: Theme) -> list[Line]:
    """One list item behind its bullet or number."""
    mark = "• " if number is None else f"{number}. "
    inner = _nested(item[1:-1], width - len(mark), theme) or [BLANK]
    return indent(inner, mark, " " * len(mark), theme.bullet, keep_first=True)


def first_line(block: Sequence[Token]) -> int:
    """The source line where a block begins."""
    spot = block[0].map
    return spot[0] if spot else 0


def last_line(block: Sequence[Token]) -> int:
    """The line after a block's last line that is not blank (a list's own map includes trailing blank lines)."""
    leaves = [token.map[1] for token in block if token.map and token.nesting == 0]
    return max(leaves, default=first_line(block) + 1)


def _nested(tokens: Sequence[Token], width: int, theme: Theme) -> list[Line]:
    """The blocks inside an item or quotation; a blank row between two where the source has one."""
    rows: list[Line] = []
    previous: Sequence[Token] | None = None
    for block in blocks(tokens):
        if previous is not None and _gap(previous, block):
            rows.append(BLANK)
        rows += block_rows(block, width, theme)
        previous = block
    return rows


def _gap(before: Sequence[Token], after: Sequence[Token]) -> bool:
    return first_line(after) > last_line(before)


def _inline(block: Sequence[Token], base: Style, theme: Theme) -> list[Span]:
    return inline_spans(block[1], base, theme)
