"""The assistant's words: text that streams in, is laid out in slices of a frame's time, and is sealed at its end."""

import time

from tui.render.lines import Line, Rows
from tui.render.markdown import LiveMarkdown, live_markdown, render_markdown
from tui.render.theme import Theme

SLICE = 2_048  # characters laid out between two looks at the clock


class AnswerItem:
    """Markdown, finished (`AnswerItem(text)`) or growing (`write`, `feed`, `close`)."""

    tight = False

    def __init__(self, text: str = "", *, live: bool = False) -> None:
        self._source = [text]
        self._pending: list[str] = []
        self._live = live
        self._closed = not live
        self._document: LiveMarkdown | None = None
        self._width = 0

    @property
    def text(self) -> str:
        """All of it, also what is not laid out yet."""
        if len(self._source) > 1:
            self._source = ["".join(self._source)]
        return self._source[0]

    @property
    def live(self) -> bool:
        """Whether more may come, or some is not laid out yet."""
        return self._live

    def write(self, text: str) -> None:
        """More text; it appears with the next `feed`."""
        self._source.append(text)
        self._pending.append(text)

    def close(self) -> None:
        """No more text will come."""
        self._closed = True

    def feed(self, deadline: float, width: int, theme: Theme) -> int:
        """Lay out pending text until `deadline` (perf_counter seconds); the first row that changed."""
        first = self._open(width, theme)
        document = self._document
        text = "".join(self._pending)
        self._pending.clear()
        at = 0
        while document is not None and at < len(text):
            document.append(text[at : at + SLICE])
            first = min(first, document.flush())
            at += SLICE
            if time.perf_counter() > deadline:
                break
        if at < len(text):
            self._pending.append(text[at:])
        elif self._closed and document is not None:
            first = min(first, document.flush(final=True))
            self._live = False
        return first

    @property
    def waiting(self) -> bool:
        """Whether `feed` has something to do."""
        return self._live and (bool(self._pending) or self._closed)

    def estimate(self, width: int) -> int:
        """Lines and what wraps of them."""
        text = self.text
        return text.count("\n") + len(text) // max(1, width) + 1

    def rows(self, width: int, theme: Theme) -> Rows:
        """Live: the growing document itself; at its end the document is handed over, later all is drawn anew from the text."""
        if self._live:
            self._open(width, theme)
        document = self._document if self._width == width else None
        if not self._live:
            self._document = None
        if document is not None:
            return DocumentRows(document)
        return render_markdown(self.text, width, theme) if self.text.strip() else []

    def _open(self, width: int, theme: Theme) -> int:
        """A document for `width`; after a resize everything is laid out again, at once."""
        if self._document is not None and self._width == width:
            return self._document.height
        self._document, self._width = live_markdown(width, theme), width
        done = "".join(self._source)
        waiting = sum(map(len, self._pending))
        self._document.append(done[: len(done) - waiting])
        self._document.flush()
        return 0


class DocumentRows:
    """The rows of a growing document, without copying them."""

    def __init__(self, document: LiveMarkdown) -> None:
        self._document = document

    def __len__(self) -> int:
        return self._document.height

    def __getitem__(self, number: int, /) -> Line:
        return self._document.row(number)
