"""A file's change as rows: line numbers, signs, and a ground that runs to the edge."""

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from agent.protocol.details import FileDiff, Hunk
from agent.protocol.text import counted
from tui.render.lines import Line, line
from tui.render.safe import clean
from tui.render.theme import Theme
from tui.render.wrap import fold_spans

CONTEXT = Style()


def diff_rows(diff: FileDiff, width: int, theme: Theme) -> list[Line]:
    """All hunks of `diff`; a copy leaves the line numbers out."""
    digits = len(str(max((hunk.new_start + hunk.new_lines + hunk.old_lines for hunk in diff.hunks), default=1)))
    rows: list[Line] = []
    for number, hunk in enumerate(diff.hunks):
        if number:
            rows.append(line((" " * digits + " ⋯", theme.hunk), gutter=digits + 2))
        rows += _hunk_rows(hunk, digits, width, theme)
    return rows


def diff_counts(diff: FileDiff) -> str:
    """`+3 −1`, or `created, 12 lines`."""
    return f"created, {counted(diff.added, 'line')}" if diff.created else f"+{diff.added} −{diff.removed}"


def _hunk_rows(hunk: Hunk, digits: int, width: int, theme: Theme) -> list[Line]:
    rows: list[Line] = []
    old, new = hunk.old_start, hunk.new_start
    for text in hunk.lines:
        sign, body = text[:1], clean(text[1:].removesuffix("\n"))
        number = old if sign == "-" else new
        style = {"+": theme.added, "-": theme.removed}.get(sign, theme.text)
        rows += _line_rows(f"{number:>{digits}} {sign or ' '}", body, style, width, theme)
        old += sign != "+"
        new += sign != "-"
    return rows


def _line_rows(prefix: str, body: str, style: Style, width: int, theme: Theme) -> list[Line]:
    inner = max(1, width - len(prefix) - 1)
    rows = []
    for at, part in enumerate(fold_spans([(body, style)], inner)):
        head = prefix if at == 0 else " " * len(prefix)
        room = inner - sum(cell_len(segment.text) for segment in part.segments)
        number = Segment(head[:-1], theme.dim)
        sign = Segment(head[-1] + " ", style)
        rows.append(Line((number, sign, *part.segments, Segment(" " * room, style)), part.joint, len(prefix) + 1))
    return rows
