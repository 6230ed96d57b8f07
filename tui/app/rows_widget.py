"""Small painted areas: a few rows drawn for the width there is, and a scrollable view of many."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from tui.app.paint import filtered, finished
from tui.render.lines import BLANK, Line

Draw: TypeAlias = Callable[[int], Sequence[Line]]  # width in cells -> rows


class RowsWidget(Widget):
    """Paints what its `draw` makes; as high as that is. Nothing in it is ever parsed as markup."""

    DEFAULT_CSS = "RowsWidget { height: auto; width: 1fr; }"

    def __init__(self, draw: Draw | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw: Draw = draw or (lambda _width: [])
        self._rows: Sequence[Line] = []
        self._drawn_for = -1

    def show(self, draw: Draw) -> None:
        """Paint this from now on; a layout only when the height changes."""
        before = len(self._rows)
        self._draw, self._drawn_for = draw, -1
        rows = self._made(self.size.width) if self.size.width else []
        self.refresh(layout=not self.size.width or len(rows) != before)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Its rows."""
        return len(self._made(width))

    def render_line(self, y: int) -> Strip:
        """One row on the widget's ground."""
        width = self.size.width
        rows = self._made(width)
        row = rows[y] if y < len(rows) else BLANK
        return finished(row, width, self.visual_style.rich_style, y)

    def _made(self, width: int) -> Sequence[Line]:
        if self._drawn_for != width:
            self._rows, self._drawn_for = self._draw(width), width
        return self._rows


class RowsView(ScrollView, can_focus=False):
    """Many rows, scrollable; drawn once for each width."""

    DEFAULT_CSS = "RowsView { height: auto; overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }"

    def __init__(self, draw: Draw | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw: Draw = draw or (lambda _width: [])
        self._rows: Sequence[Line] = []
        self._drawn_for = -1

    def show(self, draw: Draw) -> None:
        """Show this from its top."""
        self._draw, self._drawn_for = draw, -1
        self.scroll_to(y=0, animate=False)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """All rows; the style's max-height decides what is seen."""
        return len(self._made(width))

    def on_resize(self, _event: events.Resize) -> None:
        """Draw for the new width."""
        width = self.scrollable_content_region.width
        self.virtual_size = Size(width, len(self._made(width)))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows in `crop`."""
        width = self.size.width
        rows = self._made(self.scrollable_content_region.width)
        ground, filters, back = self.visual_style.rich_style, list(self.get_line_filters()), self.background_colors[1]
        strips = []
        for y in crop.line_range:
            number = y + int(self.scroll_y)
            row = rows[number] if number < len(rows) else BLANK
            strips.append(filtered(finished(row, width, ground, number), filters, back))
        if crop.column_span != (0, width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def _made(self, width: int) -> Sequence[Line]:
        if self._drawn_for != width:
            self._rows, self._drawn_for = self._draw(max(1, width)), width
        return self._rows
