"""Rows as Textual strips: ground, width and the offsets by which Textual finds what is selected."""

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

from tui.render.lines import Line


def finished(row: Line, width: int, ground: Style, y: int) -> Strip:
    """`row` on its ground, exactly `width` cells wide; every piece knows its place (column in characters, content row `y`)."""
    segments: list[Segment] = []
    column = cells = 0
    for text, style, _ in row.segments:
        segments.append(Segment(text, (ground + style if style else ground) + Style.from_meta({"offset": (column, y)})))
        column += len(text)
        cells += cell_len(text)
    if cells < width:
        segments.append(Segment(" " * (width - cells), ground + Style.from_meta({"offset": (column, y)})))
    strip = Strip(segments, max(width, cells))
    return strip if cells <= width else strip.crop(0, width)


def filtered(strip: Strip, filters: list[LineFilter], background: Color) -> Strip:
    """`strip` after NO_COLOR and the like, which a Line-API widget must apply itself."""
    for line_filter in filters:
        strip = strip.apply_filter(line_filter, background)
    return strip


def highlighted(strip: Strip, row: Line, span: tuple[int, int], style: Style) -> Strip:
    """`strip` with the characters `span` (end -1 = to the edge) of `row` shown as selected."""
    text = row.text
    start = cell_len(text[: span[0]])
    end = strip.cell_length if span[1] < 0 else min(strip.cell_length, cell_len(text[: span[1]]))
    if end <= start:
        return strip
    parts = [strip.crop(0, start), strip.crop(start, end).apply_style(style), strip.crop(end)]
    return Strip.join([part for part in parts if part.cell_length])
