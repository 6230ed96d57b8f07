"""Where the person rewrites a text before it is given as an answer: Ctrl+S gives it, Esc goes back."""

from textual.binding import Binding
from textual.message import Message

from tui.app.writing_area import WritingArea
from tui.render.safe import clean


class RewriteBox(WritingArea):
    """A text area for many lines; hidden until there is something to rewrite."""

    BINDINGS = [Binding("ctrl+s", "give", show=False)]  # noqa: RUF012  # Textual reads it as a class attribute

    class Given(Message):
        """Ctrl+S: `text` as it stands now."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    def begin(self, text: str) -> None:
        """Take the keyboard, with `text` to start from."""
        self.load_text(clean(text))
        self.move_cursor(self.document.end if "\n" not in text else (0, 0))
        self.focus()

    def action_give(self) -> None:
        """Post the text."""
        self.post_message(self.Given(self.text))
