"""A line of styled text, and what a copy of it must know."""

from collections.abc import Iterable
from typing import Protocol

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style


class Line(Struct, frozen=True):
    """One screen row: styled pieces, no newline inside.

    `joint` is what stood in the source between the row above and this one when the break is ours ("" or " "), and None when the
    source had a newline there. The first `gutter` characters are decoration (bullets' indents, bars) that a copy leaves out.
    """

    segments: tuple[Segment, ...] = ()
    joint: str | None = None
    gutter: int = 0

    @property
    def text(self) -> str:
        """The row's characters without style."""
        return "".join(segment.text for segment in self.segments)

    @property
    def width(self) -> int:
        """The row's width in cells."""
        return sum(cell_len(segment.text) for segment in self.segments)


class Rows(Protocol):
    """Rows one can count and take one by one: a list, or a document that grows."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> Line: ...


BLANK = Line()


def line(*pieces: tuple[str, Style], gutter: int = 0, joint: str | None = None) -> Line:
    """A row of (text, style) pieces; empty pieces are dropped."""
    return Line(tuple(Segment(text, style) for text, style in pieces if text), joint, gutter)


def indent(rows: Iterable[Line], first: str, rest: str, style: Style, *, keep_first: bool = False) -> list[Line]:
    """`rows` behind a prefix: `first` before the first row, `rest` before the others.

    The prefix is decoration, except that with `keep_first` a copy keeps `first` (a list's bullet is text).
    """
    out = []
    for number, row in enumerate(rows):
        prefix = first if number == 0 else rest
        gutter = row.gutter if keep_first and number == 0 else row.gutter + len(prefix)
        out.append(Line((Segment(prefix, style), *row.segments), row.joint, gutter))
    return out


def copied_text(rows: Iterable[tuple[Line, int, int]]) -> str:
    """What a selection copies: for each row its first and last character (end -1 = all); our own wraps are undone."""
    out: list[str] = []
    for row, start, end in rows:
        text = row.text
        stop = len(text) if end < 0 else min(end, len(text))
        piece = text[max(start, row.gutter) : stop].rstrip()
        if out and row.joint is not None:
            out[-1] += row.joint + piece
        else:
            out.append(piece)
    return "\n".join(out)
