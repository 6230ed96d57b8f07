"""The door to Markdown: the parser and the highlighter load at first use, off the path to the first paint."""

from typing import Protocol

from tui.render.lines import Line
from tui.render.theme import Theme


class LiveMarkdown(Protocol):
    """A document that grows: rows before `append`'s effect never change once sealed."""

    def append(self, text: str) -> None:
        """More source; any text, cleaned here."""
        ...

    def flush(self, *, final: bool = False) -> int:
        """Lay out what was appended; the first row that may have changed. `final` closes the document."""
        ...

    @property
    def height(self) -> int:
        """Rows so far."""
        ...

    def row(self, number: int) -> Line:
        """One row, 0 <= number < height."""
        ...


def live_markdown(width: int, theme: Theme) -> LiveMarkdown:
    """An empty growing document, `width` cells wide."""
    from tui.render.markdown_live import IncrementalMarkdown

    return IncrementalMarkdown(width, theme)


def render_markdown(source: str, width: int, theme: Theme) -> list[Line]:
    """A whole document as rows, without blank rows at its end."""
    from tui.render.markdown_live import IncrementalMarkdown

    document = IncrementalMarkdown(width, theme)
    document.append(source)
    document.flush(final=True)
    return document.rows()
