"""The contract with what Textual and Pygments keep to themselves: it breaks here first, and we fall back."""

from textual.app import App, ComposeResult
from textual.drivers._writer_thread import WriterThread
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.widget import Widget

from tests.support.app_stage import on_stage
from tests.support.scripted_engine import ScriptedEngine
from tui.app.textual_private import set_virtual_size, writer_backlog
from tui.render.highlight import ROOT, lex_line


class Bare(App[int]):
    """One scroll view."""

    def compose(self) -> ComposeResult:
        yield ScrollView()


async def test_textual_still_has_what_we_use() -> None:
    assert callable(ScrollView._scroll_update)
    assert Widget.virtual_size is not None
    app = Bare()
    async with app.run_test(size=(40, 10)) as pilot:
        view = app.query_one(ScrollView)
        set_virtual_size(view, Size(30, 100))
        await pilot.pause()
        assert (view.virtual_size, view.max_scroll_y) == (Size(30, 100), 90)


def test_the_linux_driver_still_queues_what_it_writes() -> None:
    assert WriterThread(None)._queue.qsize() == 0  # type: ignore[arg-type]


async def test_without_a_writer_nothing_waits() -> None:
    async with on_stage(ScriptedEngine()) as (app, _pilot):
        assert writer_backlog(app) == 0


def test_pygments_still_shows_its_states() -> None:
    lexed = lex_line("python", "x = '''open", ROOT)
    assert lexed.after != ROOT
    assert {str(kind) for kind, _ in lexed.tokens} != {"Token.Text"}
    assert lex_line("python", "closed'''", lexed.after).after == ROOT
    assert lex_line("no-such-language", "x", ROOT).after == ROOT
