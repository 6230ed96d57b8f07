"""Breaks text into rows by terminal cells, never inside a grapheme."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct
from rich.cells import split_graphemes
from rich.segment import Segment
from rich.style import Style

from tui.render.lines import Line

Span: TypeAlias = tuple[str, Style]


class Cut(Struct, frozen=True):
    """Row = text[start:end]; `joint` is what the break before it swallowed (None: a newline or the text's begin)."""

    start: int
    end: int
    joint: str | None


def word_cuts(text: str, width: int) -> list[Cut]:
    """Greedy word wrap of one line (no newline in it) to `width` cells; a word longer than a row is broken."""
    return _ascii_words(text, width) if text.isascii() else _grapheme_words(text, width)


def fold_cuts(text: str, width: int) -> list[Cut]:
    """Breaks at exactly `width` cells, as code must be."""
    if text.isascii():
        stops = range(0, max(1, len(text)), width)
        return [Cut(i, min(i + width, len(text)), "" if i else None) for i in stops]
    cuts: list[Cut] = []
    start = column = 0
    for begin, _end, cells in split_graphemes(text)[0]:
        if column + cells > width and begin > start:
            cuts.append(Cut(start, begin, "" if cuts else None))
            start, column = begin, 0
        column += cells
    cuts.append(Cut(start, len(text), "" if cuts else None))
    return cuts


def wrap_spans(spans: Sequence[Span], width: int) -> list[Line]:
    """Styled text (newlines in it are the source's own) as word-wrapped rows."""
    return _rows(spans, width, fold=False)


def fold_spans(spans: Sequence[Span], width: int) -> list[Line]:
    """Styled text as rows broken at the edge."""
    return _rows(spans, width, fold=True)


def wrap_text(text: str, style: Style, width: int) -> list[Line]:
    """Plain text as word-wrapped rows."""
    return wrap_spans([(text, style)], width)


def _rows(spans: Sequence[Span], width: int, *, fold: bool) -> list[Line]:
    width = max(1, width)
    text = "".join(piece for piece, _ in spans)
    styles = _Styles(spans)
    rows: list[Line] = []
    base = 0
    for part in text.split("\n"):
        for cut in fold_cuts(part, width) if fold else word_cuts(part, width):
            rows.append(Line(tuple(styles.cut(text, base + cut.start, base + cut.end)), cut.joint))
        base += len(part) + 1
    return rows


class _Styles:
    """Walks the spans once, in step with the rows."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._bounds: list[tuple[int, int, Style]] = []
        at = 0
        for piece, style in spans:
            self._bounds.append((at, at + len(piece), style))
            at += len(piece)
        self._first = 0

    def cut(self, text: str, start: int, end: int) -> Iterable[Segment]:
        bounds, count = self._bounds, len(self._bounds)
        while self._first < count and bounds[self._first][1] <= start:
            self._first += 1
        at = self._first
        while at < count and bounds[at][0] < end:
            begin, stop, style = bounds[at]
            piece = text[max(start, begin) : min(end, stop)]
            if piece:
                yield Segment(piece, style)
            at += 1


def _ascii_words(text: str, width: int) -> list[Cut]:
    cuts: list[Cut] = []
    start, size = 0, len(text)
    joint: str | None = None
    while size - start > width:
        space = text.rfind(" ", start, start + width + 1)
        if space <= start:
            cuts.append(Cut(start, start + width, joint))
            start, joint = start + width, ""
            continue
        end = space
        while end > start and text[end - 1] == " ":
            end -= 1
        if end == start:  # a row of spaces only: leading indent wider than the row
            end = space
        cuts.append(Cut(start, end, joint))
        start = space + 1
        while start < size and text[start] == " ":
            start += 1
        joint = text[end:start]
    if start < size or not cuts:
        cuts.append(Cut(start, size, joint))
    return cuts


def _grapheme_words(text: str, width: int) -> list[Cut]:
    """As for ASCII, and wide characters (CJK) may be broken between."""
    cuts: list[Cut] = []
    joint: str | None = None
    start = column = 0
    break_end = break_next = -1  # the last place where this row may end, and where the next row would then start
    since_break = 0
    was_wide = False
    for begin, end, cells in split_graphemes(text)[0]:
        is_space = text[begin] == " "
        if (was_wide or cells > 1) and not is_space and begin > start and text[begin - 1] != " ":
            break_end, break_next, since_break = begin, begin, 0
        if column + cells > width and begin > start and not is_space:
            if break_end <= start:
                break_end, break_next, since_break = begin, begin, 0
            cuts.append(_trimmed(text, start, break_end, joint, width))
            joint = text[cuts[-1].end : break_next]
            start, column, break_end = break_next, since_break, -1
        if is_space:
            if break_next != begin or break_end < start:
                break_end = begin
            break_next, since_break = end, 0
        else:
            since_break += cells
        column += cells
        was_wide = cells > 1
    if start < len(text) or not cuts:
        cuts.append(_trimmed(text, start, len(text), joint, width) if column > width else Cut(start, len(text), joint))
    return cuts


def _trimmed(text: str, start: int, end: int, joint: str | None, width: int) -> Cut:
    """A row without the spaces that do not fit at its end; a row of nothing but spaces is as wide as it may be."""
    stop = start + len(text[start:end].rstrip(" "))
    return Cut(start, stop if stop > start else min(end, start + width), joint)
