"""Esc and Ctrl+C: what they close, clear or stop depends on what is open; pressed twice they go back, or leave."""

from collections.abc import Callable

from textual import events
from textual.binding import Binding

from tui.app.frame import Frame
from tui.app.prompt_history import PromptHistory
from tui.app.twice import AGAIN, Twice


class StopKeys(Frame):
    """The screen with the keys that end things; what there is to end, whoever has an engine says."""

    BINDINGS = [  # noqa: RUF012  # Textual reads it as a class attribute
        Binding("escape", "stop", show=False, priority=True),
        Binding("ctrl+c", "clear_or_leave", show=False, priority=True),
        Binding("ctrl+q", "leave", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
    ]

    def __init__(self, history: PromptHistory, *, version: str, tmux: bool, clock: Callable[[], float]) -> None:
        super().__init__(history, version=version, tmux=tmux, clock=clock)
        self._twice = Twice()

    def interrupt(self) -> bool:
        """Stop what runs; whether anything did. Without an engine nothing does."""
        return False

    def go_back(self) -> None:
        """To an earlier prompt; without an engine there is none."""

    def action_leave(self, code: int = 0) -> None:
        """End the app with `code`."""
        self.exit(code, return_code=code)

    async def on_event(self, event: events.Event) -> None:
        """A key that leaves when it is pressed again does so only when no other key came between."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            self._twice.pressed(event.key if isinstance(event, events.Key) else "")
        await super().on_event(event)

    def action_stop(self) -> None:
        """Esc: back, no, or stop; twice on an empty line: to an earlier prompt."""
        if len(self.screen_stack) > 1:
            self.pop_screen()
        elif self.panel.is_open:
            self.panel.refuse()
        elif self.picker.is_open:
            self.picker.cancel()
        else:
            self.completer.close()
            if not self.interrupt() and not self.prompt.text:
                self._back()

    def _back(self) -> None:
        if self._twice.again("escape"):
            self.chrome.activity.say("")
            self.go_back()
        else:
            self._hint("Esc again: go back to an earlier prompt")

    def action_clear_or_leave(self) -> None:
        """Ctrl+C: copy what is selected, else clear the prompt, else stop what runs; twice: leave."""
        if self.screen.get_selected_text():
            self.screen.action_copy_text()
            self.screen.clear_selection()
        elif self._twice.again("ctrl+c"):
            self.action_leave()
        elif self.prompt.text:
            self.prompt.forget()
            self._hint("Cleared (↑ brings it back) · Ctrl+C again leaves")
        elif self.interrupt():
            self._hint("Stopping · Ctrl+C again leaves")
        else:
            self._hint("Ctrl+C again leaves")

    def _hint(self, words: str) -> None:
        """Words for as long as a second key counts."""
        self.chrome.activity.say(words)
        self.set_timer(AGAIN, lambda: self.chrome.activity.unsay(words))
