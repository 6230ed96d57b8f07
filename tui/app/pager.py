"""One item whole, on a screen of its own."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen

from tui.app.rows_widget import Draw, RowsView, RowsWidget
from tui.render.lines import line
from tui.render.theme import Theme


class Pager(Screen[None]):
    """Scrolls; Esc, q or Ctrl+O goes back."""

    BINDINGS = [  # noqa: RUF012  # Textual reads it as a class attribute
        Binding("escape,q,ctrl+o,ctrl+c", "dismiss", show=False),
        Binding("pageup,b", "page(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("up,k", "step(-1)", show=False),
        Binding("down,j", "step(1)", show=False),
        Binding("home,g", "edge(-1)", show=False),
        Binding("end,G", "edge(1)", show=False),
    ]

    def __init__(self, draw: Draw, theme: Theme) -> None:
        super().__init__()
        self._view = RowsView(draw, id="pager")
        self._keys = line(("↑↓ PgUp PgDn Home End · Esc back", theme.dim))

    def compose(self) -> ComposeResult:
        """The rows and the keys."""
        yield self._view
        yield RowsWidget(lambda _width: [self._keys])

    def action_page(self, step: int) -> None:
        """A page up or down."""
        self._view.scroll_relative(y=step * max(1, self._view.size.height - 1), animate=False)

    def action_step(self, step: int) -> None:
        """A row up or down."""
        self._view.scroll_relative(y=step, animate=False)

    def action_edge(self, step: int) -> None:
        """To the top or the bottom."""
        if step < 0:
            self._view.scroll_home(animate=False)
        else:
            self._view.scroll_end(animate=False)
