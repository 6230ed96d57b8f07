"""Where the person writes: many lines, history at the edges, pastes of any size."""

import time

from textual import events
from textual.binding import Binding
from textual.message import Message

from tui.app.completer import Completer
from tui.app.pastes import Pastes
from tui.app.prompt_history import PromptHistory
from tui.app.writing_area import WritingArea

PLACEHOLDER = "? keys · / commands · @ files · ! shell"
NEWLINE_KEYS = ("shift+enter", "ctrl+j", "alt+enter")


class PromptBox(WritingArea):
    """A text area whose Enter sends; Shift+Enter, Ctrl+J, Alt+Enter and `\\` Enter make a new line."""

    BINDINGS = [  # noqa: RUF012  # Textual reads it as a class attribute
        Binding("pageup,ctrl+up", "app.scroll_page(-1)", show=False),
        Binding("pagedown,ctrl+down", "app.scroll_page(1)", show=False),
        Binding("ctrl+home", "app.scroll_edge(-1)", show=False),
        Binding("ctrl+end", "app.scroll_edge(1)", show=False),
        Binding("tab", "complete", show=False),
        Binding("shift+tab", "app.cycle_mode", show=False),
        Binding("ctrl+o", "app.open_whole", show=False),
    ]

    class Sent(Message):
        """Enter: `text` is the whole prompt, pastes and all."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    class LeftTop(Message):
        """Up in an empty box: the app may give a queued prompt back before the history is walked."""

    def __init__(self, history: PromptHistory, completer: Completer, *, id: str | None = None) -> None:
        super().__init__(placeholder=PLACEHOLDER, id=id)
        self._history = history
        self._completer = completer
        self.pastes = Pastes()
        self.last_key = 0.0  # monotonic seconds
        self.last_put: str | None = None  # text that we put there: not to be completed

    # ---- text

    def put(self, text: str) -> None:
        """Replace everything by `text`, the cursor at its end; what is long or unfit for a screen is folded."""
        self.pastes.clear()
        self.last_put = self.pastes.fold(text)
        self.load_text(self.last_put)
        self.move_cursor(self.document.end)

    @property
    def before_cursor(self) -> str:
        """The text up to the cursor."""
        return self.get_text_range((0, 0), self.cursor_location)

    def replace_before_cursor(self, text: str) -> None:
        """Put `text` in place of everything up to the cursor."""
        result = self.replace(text, (0, 0), self.cursor_location)
        self.move_cursor(result.end_location)

    def send(self) -> None:
        """Post the text and empty the box."""
        text = self.pastes.expand(self.text)
        if text.strip():
            self.forget()
            self.post_message(self.Sent(text))

    def forget(self) -> None:
        """Empty the box; what stood there is one step up the history."""
        self._history.add(self.pastes.expand(self.text))
        self.load_text("")
        self.pastes.clear()
        self._completer.close()

    # ---- keys

    async def _on_key(self, event: events.Key) -> None:
        self.last_key = time.monotonic()
        if event.key == "enter":
            event.prevent_default().stop()
            self._enter()
        elif event.key in NEWLINE_KEYS:
            event.prevent_default().stop()
            self.insert("\n")
        elif event.character == "?" and not self.text:
            event.prevent_default().stop()
            self.app.call_later(self.app.run_action, "show_keys")

    def _enter(self) -> None:
        if self.before_cursor.endswith("\\"):
            self._backslash_newline()
            return
        self._completer.catch_up(self.before_cursor)
        if self._completer.is_open:
            self.action_complete()
            if not self.text.startswith("/"):
                return
        self.send()

    def action_complete(self) -> None:
        """Tab: take the marked completion."""
        if self._completer.is_open:
            self._completer.catch_up(self.before_cursor)
        else:
            self._completer.look(self.before_cursor)
        chosen = self._completer.chosen
        if chosen is not None:
            self._completer.close()
            self.replace_before_cursor(chosen + self._after_file(chosen))
            self.last_put = None if chosen.endswith("/") else self.text

    def _after_file(self, chosen: str) -> str:
        """The space that ends a file's name; none after a folder or a command, which may go on, nor before a space."""
        typed = self.before_cursor
        is_file = typed.split()[-1:] != [] and typed.split()[-1].startswith("@") and not chosen.endswith("/")
        return " " if is_file and not self.text[len(typed) :][:1].isspace() else ""

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default().stop()
        self.insert(self.pastes.fold(event.text))

    def action_cursor_up(self, select: bool = False) -> None:
        """Up; from the first row into the history."""
        if self._completer.is_open and not select:
            self._completer.move(-1)
        elif select or not self.navigator.is_first_wrapped_line(self.cursor_location):
            super().action_cursor_up(select)
        elif not self.text:
            self.post_message(self.LeftTop())
        else:
            self.walk_back()

    def action_cursor_down(self, select: bool = False) -> None:
        """Down; from the last row towards the newest."""
        if self._completer.is_open and not select:
            self._completer.move(1)
        elif select or not self.navigator.is_last_wrapped_line(self.cursor_location):
            super().action_cursor_down(select)
        elif (text := self._history.newer()) is not None:
            self.put(text)

    def walk_back(self) -> None:
        """The prompt before this one."""
        text = self._history.older(self.pastes.expand(self.text))
        if text is not None:
            self.put(text)

    def action_cursor_line_start(self, select: bool = False) -> None:
        """Home: of the line, or of the transcript while nothing is written."""
        if self.text:
            super().action_cursor_line_start(select)
        else:
            self.app.call_later(self.app.run_action, "scroll_edge(-1)")

    def action_cursor_line_end(self, select: bool = False) -> None:
        """End: of the line, or of the transcript while nothing is written."""
        if self.text:
            super().action_cursor_line_end(select)
        else:
            self.app.call_later(self.app.run_action, "scroll_edge(1)")

    def action_delete_left(self) -> None:
        """Backspace takes a placeholder away as one character."""
        row, column = self.cursor_location
        mark = 0 if self.selected_text else self.pastes.mark_before(str(self.document.get_line(row))[:column])
        if mark:
            self.delete((row, column - mark), (row, column))
        else:
            super().action_delete_left()

    def action_delete_right(self) -> None:
        """Delete; Ctrl+D in an empty box leaves."""
        if self.text:
            super().action_delete_right()
        else:
            self.app.call_later(self.app.run_action, "leave")

    def _backslash_newline(self) -> None:
        row, column = self.cursor_location
        self.replace("\n", (row, column - 1), (row, column))
