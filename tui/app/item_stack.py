"""The transcript's model: items, their heights (guessed until they are seen) and the rows drawn lately."""

from bisect import bisect_right
from collections import OrderedDict
from itertools import accumulate
from typing import Protocol

from tui.render.lines import BLANK, Line, Rows
from tui.render.theme import Theme

MOST_ROWS = 6_000  # rows kept drawn


class Item(Protocol):
    """One block of the transcript."""

    tight: bool  # no blank row between this and another tight item

    def estimate(self, width: int) -> int:
        """A cheap guess of its height in rows."""
        ...

    def rows(self, width: int, theme: Theme) -> Rows:
        """Its rows."""
        ...


class ItemStack:
    """Items top to bottom. Row numbers count from the top of the first item; a gap row belongs to the item below it."""

    def __init__(self, theme: Theme) -> None:
        self.items: list[Item] = []
        self.width = 0
        self._theme = theme
        self._heights: list[int] = []
        self._exact: list[bool] = []
        self._tops: list[int] = [0]
        self._drawn: OrderedDict[int, Rows] = OrderedDict()  # by id() of the item, least lately used first
        self._kept = 0

    @property
    def total(self) -> int:
        """All rows."""
        return self._tops[-1]

    def top(self, index: int) -> int:
        """The first row of an item (its gap, if it has one)."""
        return self._tops[index]

    def height(self, index: int) -> int:
        """The rows of an item, as far as known."""
        return self._heights[index]

    def is_exact(self, index: int) -> bool:
        """Whether the height is more than a guess."""
        return self._exact[index]

    def index_at(self, row: int) -> int:
        """The item that holds `row`; the last one for rows beyond the end. There must be one."""
        return min(len(self.items) - 1, bisect_right(self._tops, row) - 1)

    def set_width(self, width: int) -> None:
        """Everything is to be drawn anew for `width` cells."""
        self.width = width
        self._drawn.clear()
        self._kept = 0
        self._exact = [False] * len(self.items)
        self._heights = [self._guess(index) for index in range(len(self.items))]
        self._tops = [0, *accumulate(self._heights)]

    def add(self, item: Item) -> int:
        """Put `item` at the end; its index."""
        self.items.append(item)
        self._exact.append(False)
        self._heights.append(self._guess(len(self.items) - 1) if self.width else 1)
        self._tops.append(self._tops[-1] + self._heights[-1])
        return len(self.items) - 1

    def add_before(self, items: list[Item]) -> None:
        """Put `items` at the beginning."""
        count = len(items)
        self.items[:0] = items
        self._exact[:0] = [False] * count
        self._heights[:0] = [self._guess(index) if self.width else 1 for index in range(count)]
        if count < len(self.items):
            self._heights[count] += self.gap(count)  # it was the first one, which has none
        self._tops = [0, *accumulate(self._heights)]

    def remove(self, index: int) -> None:
        """Take one item away."""
        self._forget(index)
        del self.items[index], self._exact[index], self._heights[index]
        self._tops.pop()
        self._retop(index)

    def clear(self) -> None:
        """No items."""
        self.items = []
        self.set_width(self.width)

    def changed(self, index: int) -> bool:
        """An item looks different now; whether its height changed too."""
        self._forget(index)
        if not self.width:
            return False
        before = self._heights[index]
        self._measure(index)
        if self._heights[index] != before:
            self._retop(index)
        return self._heights[index] != before

    def settle(self, first: int, last: int) -> int:
        """Make the heights of all items that touch rows `first` … `last - 1` exact; by how much the total changed."""
        if not self.items:
            return 0
        index = self.index_at(max(0, first))
        row, before, changed = self._tops[index], self.total, None
        while index < len(self.items) and row < last:
            if not self._exact[index]:
                guess = self._heights[index]
                self._measure(index)
                if self._heights[index] != guess and changed is None:
                    changed = index
            row += self._heights[index]
            index += 1
        if changed is not None:
            self._retop(changed)
        return self.total - before

    def row(self, number: int) -> Line:
        """One row of all."""
        index = self.index_at(number)
        rows = self._rows(index)
        at = number - self._tops[index] - self.gap(index)
        return rows[at] if 0 <= at < len(rows) else BLANK

    def gap(self, index: int) -> int:
        """1 when a blank row stands above the item."""
        if index == 0:
            return 0
        return 0 if self.items[index].tight and self.items[index - 1].tight else 1

    def _guess(self, index: int) -> int:
        """At least one row, so that every item that is not measured yet can be found by its row."""
        return max(1, self.items[index].estimate(self.width)) + self.gap(index)

    def _measure(self, index: int) -> None:
        self._heights[index] = len(self._rows(index)) + self.gap(index)
        self._exact[index] = True

    def _retop(self, index: int) -> None:
        self._tops[index:] = accumulate(self._heights[index:], initial=self._tops[index])

    def _rows(self, index: int) -> Rows:
        item = self.items[index]
        found = self._drawn.get(id(item))
        if found is not None:
            self._drawn.move_to_end(id(item))
            return found
        rows = item.rows(self.width, self._theme)
        self._drawn[id(item)] = rows
        self._kept += len(rows)
        while self._kept > MOST_ROWS and len(self._drawn) > 4:
            _, dropped = self._drawn.popitem(last=False)
            self._kept -= len(dropped)
        return rows

    def _forget(self, index: int) -> None:
        dropped = self._drawn.pop(id(self.items[index]), None)
        if dropped is not None:
            self._kept -= len(dropped)
