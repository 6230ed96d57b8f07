"""Rows as Textual strips: ground, width and the offsets by which Textual finds what is selected."""

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import ANSIToTruecolor, LineFilter
from textual.strip import Strip

from tui.render.lines import Line

MOST_STRIPS = 4_000  # finished strips kept


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


def filtered(strip: Strip, filters: Sequence[LineFilter], background: Color) -> Strip:
    """`strip` after NO_COLOR and the like, which a Line-API widget must apply itself; our colours are true ones already."""
    for line_filter in filters:
        if not isinstance(line_filter, ANSIToTruecolor):
            strip = strip.apply_filter(line_filter, background)
    return strip


class StripCache:
    """Finished strips by content row; a strip is kept while its row is the same object."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Line, Strip]] = {}

    def get(self, number: int, row: Line, make: Callable[[Line, int], Strip]) -> Strip:
        """The strip of `row`, made when it is not there."""
        kept = self._kept.get(number)
        if kept is None or kept[0] is not row:
            if len(self._kept) > MOST_STRIPS:
                self._kept.clear()
            self._kept[number] = kept = (row, make(row, number))
        return kept[1]

    def drop(self, first: int = 0) -> None:
        """Rows from `first` on look different, or stand elsewhere."""
        for number in [number for number in self._kept if number >= first]:
            del self._kept[number]


def highlighted(strip: Strip, row: Line, span: tuple[int, int], style: Style) -> Strip:
    """`strip` with the characters `span` (end -1 = to the edge) of `row` shown as selected."""
    text = row.text
    start = cell_len(text[: span[0]])
    end = strip.cell_length if span[1] < 0 else min(strip.cell_length, cell_len(text[: span[1]]))
    if end <= start:
        return strip
    parts = [strip.crop(0, start), strip.crop(start, end).apply_style(style), strip.crop(end)]
    return Strip.join([part for part in parts if part.cell_length])
