"""The contract with what Textual and Pygments keep to themselves: it breaks here first, and we fall back."""

from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.drivers._writer_thread import WriterThread
from textual.events import Key
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.widget import Widget

from tests.support.app_stage import on_stage, until
from tests.support.scripted_engine import ScriptedEngine
from tui.app.answer_item import AnswerItem
from tui.app.scroll_bar import SteadyScrollBar
from tui.app.textual_private import set_virtual_size, tell_alt_enter_from_enter, writer_backlog
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


def test_alt_enter_as_terminals_send_it_is_not_enter() -> None:
    tell_alt_enter_from_enter()
    keys = [event.key for event in XTermParser().feed("\x1b\r\r") if isinstance(event, Key)]
    assert keys == ["ctrl+j", "enter"]


async def test_the_scroll_bar_is_ours_and_shows_what_textuals_own_would_show() -> None:
    text = "\n\n".join(f"line {number}" for number in range(2_000))
    async with on_stage(ScriptedEngine()) as (app, pilot):
        app.view.add(AnswerItem(text))
        await until(pilot, lambda: app.view.max_scroll_y > 3_000)
        bar = app.view.vertical_scrollbar
        assert isinstance(bar, SteadyScrollBar)
        for row in (0, 1, 7, 300, 2_000, 2_040, 3_900):
            app.view.scroll_to(y=row, animate=False)
            await pilot.pause()
            shown = bar.render_lines(bar.size.region)
            ScrollBar.refresh(bar)
            await pilot.pause()
            anew = bar.render_lines(bar.size.region)
            assert [strip.text for strip in shown] == [strip.text for strip in anew], row
        painted = bar._painted
        app.view.scroll_to(y=3_901, animate=False)  # less than an eighth of a row of the bar
        await pilot.pause()
        assert bar._painted == painted


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
