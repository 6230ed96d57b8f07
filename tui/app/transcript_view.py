"""The whole transcript in one widget: only the visible rows are drawn, whatever its length."""

import os
import time

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from tui.app.answer_item import AnswerItem
from tui.app.item_stack import Item, ItemStack
from tui.app.items import openable
from tui.app.paint import StripCache, filtered, finished, highlighted
from tui.app.scroll_bar import SteadyScrollView
from tui.app.selecting import selected_text
from tui.app.textual_private import set_virtual_size, writer_backlog
from tui.render.lines import BLANK, Line
from tui.render.theme import Theme

BUDGET = 0.006  # seconds of layout per frame; the rest waits for the next one
CATCH_UP = 0.01  # seconds to the next slice while text waits; keys are handled in between
MOST_BACKLOG = 3  # frames a slow terminal may be behind before we skip some
LEAST_WIDTH = 16  # cells; a narrower terminal cuts rows off


class TranscriptView(SteadyScrollView, can_focus=False):
    """Follows its end until the person scrolls up; what they look at then stays where it is."""

    DEFAULT_CSS = """
    TranscriptView { height: 1fr; overflow-y: scroll; overflow-x: hidden; scrollbar-size-vertical: 1; margin: 0 0 0 1; }
    """
    following = reactive(True, repaint=False, init=False)

    class FollowingChanged(Message):
        """The view began or ceased to follow its end."""

        def __init__(self, following: bool) -> None:
            self.following = following
            super().__init__()

    class TopReached(Message):
        """The person scrolled to the first row."""

    def __init__(self, theme: Theme, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.stack = ItemStack(theme)
        self.hovered: Item | None = None
        self._theme = theme
        self._strips = StripCache()
        self._writing: list[AnswerItem] = []
        self._touched: list[Item] = []
        self._moving = False  # we scroll, not the person
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        """The frame timer; it rests while nothing streams."""
        self._timer = self.set_interval(1 / (15 if "SSH_CONNECTION" in os.environ else 25), self._frame, pause=True)

    # ---- items

    def add(self, item: Item) -> None:
        """Put an item at the end."""
        self.stack.add(item)
        if isinstance(item, AnswerItem) and item.live:
            self._writing.append(item)
        self._sync()

    def add_before(self, items: list[Item]) -> None:
        """Put items at the beginning; what is looked at stays where it is."""
        before = self.stack.total
        self.stack.add_before(items)
        self._strips.drop()
        if not self.following:
            self._tell_size()
            self._move(int(self.scroll_y) + self.stack.total - before)
        self._sync()

    def changed(self, item: Item) -> None:
        """An item of this view looks different now."""
        index = self._index(item)
        if index is None:
            return
        self._strips.drop(self.stack.top(index))
        self.stack.changed(index)
        self._sync()
        self.refresh()

    def discard(self, item: Item) -> None:
        """Take an item away."""
        index = self._index(item)
        if index is not None:
            self._strips.drop(self.stack.top(index))
            self.stack.remove(index)
            self._writing = [live for live in self._writing if live is not item]
            self._sync()
            self.refresh()

    def clear(self) -> None:
        """No items."""
        self.stack.clear()
        self._strips.drop()
        self._writing.clear()
        self._touched.clear()
        self.following = True
        self._sync()
        self.refresh()

    def touch(self, item: Item) -> None:
        """An item has news and soon will have more: draw it with the next frame."""
        if not isinstance(item, AnswerItem) and item not in self._touched:
            self._touched.append(item)
        if self._timer is not None:
            self._timer.resume()

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.following = True
        self._sync()

    # ---- streaming

    def _frame(self) -> None:
        """One tick: lay out pending text within the budget, repaint once; skipped while the terminal lags behind."""
        if writer_backlog(self.app) > MOST_BACKLOG or not self.stack.width:
            return
        touched, self._touched = self._touched, []
        for other in touched:
            self.changed(other)
        deadline = time.perf_counter() + BUDGET
        for item in list(self._writing):
            if item.waiting:
                self._feed(item, deadline)
        self._writing = [item for item in self._writing if item.live]
        if any(item.waiting for item in self._writing):
            self.set_timer(CATCH_UP, self._frame)
        elif self._timer is not None:
            self._timer.pause()

    def _feed(self, item: AnswerItem, deadline: float) -> None:
        index = self._index(item)
        if index is None:
            return
        first = item.feed(deadline, self.stack.width, self._theme)
        top = self.stack.top(index) + self.stack.gap(index) + first
        self._strips.drop(top)
        if self.stack.changed(index):
            self._sync()
        y = max(0, top - int(self.scroll_y))
        if y < self.size.height:
            self.refresh(Region(0, y, self.size.width, self.size.height - y))

    # ---- layout

    def on_resize(self, _event: events.Resize) -> None:
        """New width: everything is measured anew, the row on top (or the end) stays in view."""
        width = max(LEAST_WIDTH, self.scrollable_content_region.width)
        anchor = None
        if width == self.stack.width:
            self._sync()
            return
        if self.stack.width and not self.following and self.stack.items:
            row = int(self.scroll_y)
            index = self.stack.index_at(row)
            anchor = index, (row - self.stack.top(index)) / max(1, self.stack.height(index))
        self._strips.drop()
        self.stack.set_width(width)
        if anchor is not None:
            self._show_anchor(*anchor)
        self._sync()

    def _show_anchor(self, index: int, part: float) -> None:
        top = self.stack.top(index)
        self.stack.settle(top, top + self.size.height)
        set_virtual_size(self, Size(self.stack.width, self.stack.total))
        self._move(self.stack.top(index) + int(part * self.stack.height(index)))

    def _sync(self) -> None:
        """Make what is visible exact, tell Textual the height, keep following."""
        if not self.stack.width:
            return
        height = self.size.height
        if not self.following:
            row = int(self.scroll_y)
            if self.stack.settle(row, row + height):
                self._strips.drop()
            self._tell_size()
            return
        while self.stack.settle(self.stack.total - height, self.stack.total):
            self._strips.drop()
        self._tell_size()
        end = max(0, self.stack.total - height)
        if end != self.scroll_y:
            self._move(end)
        else:
            self.refresh()

    def _tell_size(self) -> None:
        size = Size(self.stack.width, self.stack.total)
        if size != self.virtual_size:
            self._moving = True
            set_virtual_size(self, size)
            self._moving = False

    def _move(self, row: int) -> None:
        self._moving = True
        self.scroll_to(y=row, animate=False, force=True)
        self._moving = False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The person scrolled: exact heights for what comes into view, without a jump."""
        super().watch_scroll_y(old_value, new_value)
        if self._moving or not self.stack.items or not self.stack.width or round(old_value) == round(new_value):
            return
        self._settle_view(int(new_value), upwards=new_value < old_value)
        self._tell_size()
        self.following = self.scroll_y >= self.stack.total - self.size.height - 0.5
        if round(self.scroll_y) == 0 and not self.following:
            self.post_message(self.TopReached())

    def _settle_view(self, row: int, *, upwards: bool) -> None:
        """An item that comes in from above keeps its lower edge: its guessed height was above the eye."""
        index = self.stack.index_at(row)
        below = self.stack.top(index) + self.stack.height(index) - row
        guessed = not self.stack.is_exact(index)
        if self.stack.settle(row, row + self.size.height):
            self._strips.drop()
        if guessed and upwards:
            target = max(0, self.stack.top(index) + self.stack.height(index) - below)
            if target != row:
                self._tell_size()
                self._move(target)
                self.stack.settle(target, target + self.size.height)

    def watch_following(self, following: bool) -> None:
        """Tell the app, which shows a hint."""
        self.post_message(self.FollowingChanged(following))

    # ---- painting

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows in `crop`."""
        selection = self.text_selection
        strips = [self._strip(y + int(self.scroll_y), selection) for y in crop.line_range]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def _strip(self, number: int, selection: Selection | None) -> Strip:
        row = self.stack.row(number) if number < self.stack.total else BLANK
        strip = self._strips.get(number, row, self._finished)
        span = selection.get_span(number) if selection is not None else None
        if span is None:
            return strip
        return highlighted(strip, row, span, self.screen.get_component_rich_style("screen--selection"))

    def _finished(self, row: Line, number: int) -> Strip:
        strip = finished(row, self.size.width, self.visual_style.rich_style, number)
        return filtered(strip, self.get_line_filters(), self.background_colors[1])

    # ---- mouse

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        """What a selection copies."""
        return selected_text(selection, self.stack.total, self.stack.row), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Show it."""
        self.refresh()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Remember what the pointer is on, for Ctrl+O."""
        self.hovered = self._item_at(event.y)

    def on_leave(self) -> None:
        """The pointer is elsewhere."""
        self.hovered = None

    def on_click(self, event: events.Click) -> None:
        """A click on an item that holds more opens it."""
        item = self._item_at(event.y)
        found = openable(item)
        if item is not None and found is not None and self.text_selection is None:
            found.toggle()
            self.changed(item)

    def _item_at(self, y: int) -> Item | None:
        row = int(self.scroll_y) + y
        return self.stack.items[self.stack.index_at(row)] if self.stack.items and row < self.stack.total else None

    def _index(self, item: Item) -> int | None:
        """Where `item` is; looked for from the end, where changes happen."""
        items = self.stack.items
        return next((at for at in range(len(items) - 1, -1, -1) if items[at] is item), None)
