"""Where text is written, in the prompt and in a question: soft-wrapped, still while nothing happens, open to every word."""

from textual import events
from textual.strip import Strip
from textual.widgets._text_area import TextArea

JOINERS = (
    "\u200c",
    "\u200d",
)  # inside Persian and Indic words and emoji of several; Textual takes them for unprintable


class WritingArea(TextArea):
    """Textual's text area with our settings."""

    def __init__(self, *, placeholder: str = "", id: str | None = None) -> None:
        super().__init__(
            id=id,
            soft_wrap=True,
            compact=True,
            highlight_cursor_line=False,
            show_line_numbers=False,
            placeholder=placeholder,
        )
        self.cursor_blink = False  # nothing is repainted while nothing happens

    def render_line(self, y: int) -> Strip:
        """One row; blank where there is no cell to write in, to which Textual would wrap its placeholder."""
        return super().render_line(y) if self.content_size.width else Strip.blank(self.size.width)

    async def _on_key(self, event: events.Key) -> None:
        if event.character in JOINERS:
            event.prevent_default().stop()
            self.insert(event.character or "")
