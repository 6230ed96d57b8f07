"""The transcript's model: guessed heights become exact, and no row is ever lost or shown twice."""

from hypothesis import given
from hypothesis import strategies as st

from tui.app.item_stack import ItemStack
from tui.render.lines import Line, Rows, line
from tui.render.theme import DARK


class Block:
    """An item of `size` rows that guesses `guess`."""

    def __init__(self, name: str, size: int, guess: int, *, tight: bool = False) -> None:
        self.name, self.size, self.guess, self.tight = name, size, guess, tight

    def estimate(self, _width: int) -> int:
        return self.guess

    def rows(self, _width: int, _theme: object) -> Rows:
        return [line((f"{self.name}.{number}", DARK.text)) for number in range(self.size)]


SIZES = st.tuples(st.integers(0, 9), st.integers(0, 12), st.booleans())
ITEMS = st.lists(SIZES, min_size=1, max_size=12).map(
    lambda sizes: [Block(str(n), size, guess, tight=tight) for n, (size, guess, tight) in enumerate(sizes)]
)


def filled(items: list[Block]) -> ItemStack:
    stack = ItemStack(DARK)
    stack.set_width(40)
    for item in items:
        stack.add(item)
    return stack


def expected(items: list[Block]) -> list[str]:
    rows: list[str] = []
    for at, item in enumerate(items):
        if at and not (item.tight and items[at - 1].tight):
            rows.append("")
        rows += [f"{item.name}.{number}" for number in range(item.size)]
    return rows


def everything(stack: ItemStack) -> list[str]:
    stack.settle(0, 10_000)
    return [stack.row(number).text for number in range(stack.total)]


@given(ITEMS, st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=5))
def test_settled_in_any_order_all_rows_are_there(items: list[Block], windows: list[tuple[int, int]]) -> None:
    stack = filled(items)
    for first, height in windows:
        before = stack.total
        assert stack.settle(first, first + height) == stack.total - before
    assert everything(stack) == expected(items)


@given(ITEMS, st.data())
def test_changing_and_removing_keeps_the_books(items: list[Block], data: st.DataObject) -> None:
    stack = filled(items)
    stack.settle(0, 30)
    index = data.draw(st.integers(0, len(items) - 1))
    items[index].size = data.draw(st.integers(0, 9))
    stack.changed(index)
    if len(items) > 1:
        gone = data.draw(st.integers(0, len(items) - 1))
        stack.remove(gone)
        del items[gone]
        if gone < len(items):
            stack.changed(gone)  # its gap may have changed with its neighbour
    assert everything(stack) == expected(items)


def test_a_window_deep_down_measures_only_what_it_shows() -> None:
    items = [Block(str(number), 3, 5) for number in range(1_000)]
    stack = filled(items)
    stack.settle(3_000, 3_030)
    assert sum(stack.is_exact(index) for index in range(1_000)) <= 12


def test_a_new_width_forgets_what_was_exact() -> None:
    stack = filled([Block("a", 3, 7)])
    stack.settle(0, 10)
    assert stack.total == 3
    stack.set_width(20)
    assert (stack.total, stack.is_exact(0)) == (7, False)


def test_rows_drawn_long_ago_are_drawn_again() -> None:
    items = [Block(str(number), 1_000, 1_000) for number in range(20)]
    stack = filled(items)
    first = stack.row(5)
    for index in range(20):
        assert isinstance(stack.row(index * 1_001 + 5), Line)
    assert stack.row(5) is not first
    assert stack.row(5).text == first.text
