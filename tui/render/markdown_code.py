"""Code in fences: coloured, folded at the edge, on a ground of its own."""

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from tui.render.highlight import ROOT, State, code_styles, lex_line, style_of
from tui.render.lines import Line
from tui.render.theme import Theme
from tui.render.wrap import Span, fold_spans

PAD = " "


class CodeWriter:
    """Turns the lines of one fence into rows, in order, each lexed once."""

    def __init__(self, info: str, width: int, theme: Theme) -> None:
        words = info.split()
        self._language = words[0].strip("{}.").lower() if words else "text"
        self._width = width
        self._theme = theme
        self._styles = code_styles(theme)
        self._state: State = ROOT

    def rows(self, text: str) -> list[Line]:
        """The next line of the fence."""
        lexed = lex_line(self._language, text, self._state)
        self._state = lexed.after
        return self._rows([(piece, style_of(kind, self._styles)) for kind, piece in lexed.tokens])

    def draft(self, text: str) -> list[Line]:
        """The unfinished last line, not yet coloured."""
        return self._rows([(text, self._theme.code_block)])

    def _rows(self, spans: list[Span]) -> list[Line]:
        ground = self._theme.code_block
        inner = max(1, self._width - 2 * len(PAD))
        return [_padded(row, inner, ground) for row in fold_spans(spans, inner)]


def code_rows(content: str, info: str, width: int, theme: Theme) -> list[Line]:
    """A whole fence."""
    if not content:
        return []
    writer = CodeWriter(info, width, theme)
    lines = content.removesuffix("\n").split("\n")
    return [row for text in lines for row in writer.rows(text)]


def _padded(row: Line, inner: int, ground: Style) -> Line:
    room = inner - sum(cell_len(segment.text) for segment in row.segments)
    segments = (Segment(PAD, ground), *row.segments, Segment(" " * max(0, room) + PAD, ground))
    return Line(segments, row.joint, len(PAD))
