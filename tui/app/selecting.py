"""From a mouse selection over rows to the text that is copied."""

from collections.abc import Callable

from textual.selection import Selection

from tui.render.lines import Line, copied_text


def selected_text(selection: Selection, total: int, row: Callable[[int], Line]) -> str:
    """The text between the selection's ends; our own wraps and decorations are left out."""
    first = selection.start.y if selection.start is not None else 0
    last = min(selection.end.y if selection.end is not None else total - 1, total - 1)
    pieces: list[tuple[Line, int, int]] = []
    for number in range(max(0, first), last + 1):
        start, end = selection.get_span(number) or (0, -1)
        pieces.append((row(number), start, end))
    return copied_text(pieces)
