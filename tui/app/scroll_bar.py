"""A scroll bar that is painted only when its thumb is seen to move: a growing answer moves it by less than that with each frame."""

from typing import Self

from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar

from tui.app.textual_private import start_scrollbar

EIGHTHS = 8  # of a row: as finely as a thumb's ends are drawn


class SteadyScrollBar(ScrollBar):
    """Textual's own repaints all its rows whenever the content grows."""

    _painted: tuple[object, ...] = ()

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Repaint, unless that would show nothing new."""
        seen = self._look()
        if layout or recompose or regions or seen != self._painted:
            self._painted = seen
            super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)
        return self

    def _look(self) -> tuple[object, ...]:
        """What is seen: the thumb's ends in eighths of a row, and whether the pointer is on it."""
        rows, content, window = self.size.height, self.window_virtual_size, self.window_size
        moves = content > window
        length = round(EIGHTHS * rows * window / content) if moves else 0
        start = round((EIGHTHS * rows - length) * self.position / (content - window)) if moves else 0
        return rows, self.mouse_over, self.grabbed, length, start


class SteadyScrollView(ScrollView, can_focus=False):
    """A scroll view with such a bar."""

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The bar, made when it is first asked for."""
        start_scrollbar(self, SteadyScrollBar)
        return super().vertical_scrollbar
