"""The screen without an engine: its widgets, and the keys that only look around."""

import asyncio
from collections.abc import Callable, Sequence

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Horizontal

from tui.app.chrome import Chrome
from tui.app.clipboard import copy_sequence
from tui.app.completer import Completer
from tui.app.engine import Completion
from tui.app.items import Openable, ThinkingItem, openable
from tui.app.keys import key_rows
from tui.app.pager import Pager
from tui.app.panel import QuestionPanel
from tui.app.past import Past
from tui.app.pickers import Picker
from tui.app.prompt_box import PromptBox
from tui.app.prompt_history import PromptHistory
from tui.app.rows_widget import RowsWidget
from tui.app.screen_room import TALL
from tui.app.tool_item import ToolItem
from tui.app.transcript_view import TranscriptView
from tui.render.lines import line
from tui.render.theme import DARK


class Frame(App[int]):
    """A transcript, a prompt, a panel for questions and the meter: some twenty widgets, however long the session."""

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "#prompt"
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (10, "-short"), (TALL, "-tall")]  # noqa: RUF012  # as Textual reads it

    def __init__(self, history: PromptHistory, *, version: str, tmux: bool, clock: Callable[[], float]) -> None:
        super().__init__()
        self._tmux = tmux
        self.view = TranscriptView(DARK, id="transcript")
        self.past = Past(self.view, version)
        self.chrome = Chrome(DARK, clock)
        self.completer = Completer(DARK, self.complete, id="completions")
        self.prompt = PromptBox(history, self.completer, id="prompt")
        self.panel = QuestionPanel(DARK, lambda: self.prompt.last_key, id="panel")
        self.picker = Picker(DARK, id="picker")

    def compose(self) -> ComposeResult:
        """Top to bottom."""
        yield from (self.view, self.chrome.activity, self.panel, self.picker, self.completer, self.chrome.queued)
        with Horizontal(id="prompt-row"):
            yield RowsWidget(lambda _width: [line(("❯", DARK.accent))], id="prompt-mark")
            yield self.prompt
        yield self.chrome.footer

    def on_resize(self, event: events.Resize) -> None:
        """Paint all of it: a terminal that went there and back has lost rows, although its size is the same."""
        for list_of_choices in (self.panel, self.picker, self.completer):
            list_of_choices.fit(event.size.height)
        self.refresh()

    def action_scroll_page(self, step: int) -> None:
        """A page of the transcript up or down."""
        self.view.scroll_relative(y=step * max(1, self.view.size.height - 2), animate=False)

    def on_transcript_view_top_reached(self) -> None:
        """Read what stands before it."""
        self.past.earlier()

    async def action_scroll_edge(self, step: int) -> None:
        """To the very beginning, or to the end and follow it."""
        if step < 0:
            while self.past.earlier():  # noqa: ASYNC110  # it reads page after page, it does not poll
                await asyncio.sleep(0)
            self.view.scroll_home(animate=False)
        else:
            self.view.follow()

    def action_open_whole(self) -> None:
        """The item under the pointer, else the last call, whole."""
        found = openable(self.view.hovered) or self._last_call()
        if found is not None and len(self.screen_stack) == 1:
            self.push_screen(Pager(lambda width: found.whole(width, DARK), DARK))

    def action_show_keys(self) -> None:
        """The keys, on a screen of their own."""
        if len(self.screen_stack) == 1:
            self.push_screen(Pager(lambda width: key_rows(width, DARK), DARK))

    def complete(self, _text: str) -> Sequence[Completion]:
        """Ways to go on with `_text`; without an engine there are none."""
        return ()

    def copy_to_clipboard(self, text: str) -> None:
        """Ask the terminal to take `text`; it never says whether it did."""
        self._clipboard = text
        sequence = copy_sequence(text, tmux=self._tmux)
        if sequence is None:
            self.chrome.activity.say("Too long for the terminal's clipboard")
        elif self._driver is not None:
            self._driver.write(sequence)
            self.chrome.activity.say(f"{len(text):,} characters offered to the terminal's clipboard")

    def _last_call(self) -> Openable | None:
        items = reversed(self.view.stack.items)
        return next((item for item in items if isinstance(item, ToolItem | ThinkingItem)), None)
