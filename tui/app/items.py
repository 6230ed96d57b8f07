"""The other blocks of the transcript: the person's words, thinking, one-line events, receipts, command output."""

from typing import Protocol

from rich.style import Style

from agent.protocol.results import Receipt
from agent.protocol.text import counted
from tui.app.tool_item import ToolItem
from tui.render.events import EventLine, Tone
from tui.render.lines import Line, Rows, indent, line
from tui.render.markdown import render_markdown
from tui.render.safe import clean
from tui.render.theme import Theme
from tui.render.wrap import wrap_spans, wrap_text

PROMPT_ROWS = 12  # of a long prompt


class Openable(Protocol):
    """An item that holds more than it shows."""

    def toggle(self) -> None:
        """Show more, or less again."""
        ...

    def whole(self, width: int, theme: Theme) -> list[Line]:
        """Everything."""
        ...


class UserItem:
    """What the person said."""

    tight = False

    def __init__(self, text: str, *, quiet: bool = False) -> None:
        self._text = clean(text).rstrip()
        self._quiet = quiet  # a command, which the model does not get

    def estimate(self, width: int) -> int:
        """Wrapped lines, no more than are shown."""
        return min(PROMPT_ROWS + 1, self._text.count("\n") + len(self._text) // max(1, width) + 1)

    def rows(self, width: int, theme: Theme) -> Rows:
        """The first lines behind a `❯`."""
        style = theme.note if self._quiet else theme.user
        most = (PROMPT_ROWS + 1) * max(1, width)  # characters that so many rows can take
        head = "\n".join(self._text[:most].split("\n")[: PROMPT_ROWS + 1])
        shown = wrap_text(head, style, width - 2)
        if len(shown) > PROMPT_ROWS + 1 or (len(shown) > PROMPT_ROWS and head != self._text):
            shown = self._cut(shown[:PROMPT_ROWS], theme)
        return indent(shown, "❯ ", "  ", theme.rule if self._quiet else theme.accent)

    def _cut(self, shown: list[Line], theme: Theme) -> list[Line]:
        """`shown` and how much follows: lines, or characters of a line without end."""
        lines = self._text.count("\n") + 1 - sum(row.joint is None for row in shown)
        left = len(self._text) - sum(len(row.text) + 1 for row in shown)
        more = counted(lines, "more line") if lines > 0 else counted(max(1, left), "more character")
        return [*shown, line((f"… {more} (ctrl+o)", theme.note))]

    def toggle(self) -> None:
        """There is only one view of it."""

    def whole(self, width: int, theme: Theme) -> list[Line]:
        """All lines."""
        return wrap_text(self._text, theme.text, width)


class ThinkingItem:
    """Readable thinking: one row until it is opened."""

    tight = True

    def __init__(self, text: str = "", *, live: bool = False) -> None:
        self._pieces = [text]
        self._size = len(text)
        self._live = live
        self._open = False

    def write(self, text: str) -> None:
        """More of it."""
        self._pieces.append(text)
        self._size += len(text)

    def close(self) -> None:
        """It is complete."""
        self._live = False

    def estimate(self, _width: int) -> int:
        """One row while it is closed."""
        return 1 if not self._open else 1 + self._size // 60

    def rows(self, width: int, theme: Theme) -> Rows:
        """The head, and the text when opened."""
        words = f"Thinking… {self._size:,} characters" if self._live else f"Thought · {self._size:,} characters"
        head = line(
            ("✻ ", theme.dim), (words, theme.dim + theme.emphasis), ("" if self._open else " (click)", theme.rule)
        )
        if not self._open:
            return [head]
        return [head, *indent(self.whole(width - 2, theme), "  ", "  ", theme.dim)]

    def toggle(self) -> None:
        """Open or close."""
        self._open = not self._open

    def whole(self, width: int, theme: Theme) -> list[Line]:
        """The text, wrapped."""
        return wrap_text(clean("".join(self._pieces)).strip(), theme.dim, width)


class EventItem:
    """A line of what happened: a hook, a notice, a retry, an error."""

    tight = True

    def __init__(self, event: EventLine) -> None:
        self._event = event

    def estimate(self, width: int) -> int:
        """Its lines."""
        return self._event.text.count("\n") + len(self._event.text) // max(1, width) + 1

    def rows(self, width: int, theme: Theme) -> Rows:
        """Behind its mark."""
        style = tone_style(self._event.tone, theme)
        return indent(wrap_text(self._event.text, style, width - 2), self._event.mark + " ", "  ", style)


class ReceiptItem:
    """A finished compaction: a rule through the transcript that names it; opened, its summary."""

    tight = False

    def __init__(self, event: EventLine, receipt: Receipt) -> None:
        self._event = event
        self._receipt = receipt
        self._open = False

    def estimate(self, width: int) -> int:
        """A rule, the line, a rule."""
        return 3 + (len(self._receipt.summary) // max(1, width) if self._open else 0)

    def rows(self, width: int, theme: Theme) -> Rows:
        """The receipt between two rules."""
        rule = line(("─" * width, theme.rule), gutter=width)
        hint = " (click)" if self._receipt.summary and not self._open else ""
        spans = [(f"{self._event.mark} {self._event.text}", tone_style(self._event.tone, theme)), (hint, theme.dim)]
        body = self.whole(width - 2, theme) if self._open else []
        return [rule, *wrap_spans(spans, width), *indent(body, "  ", "  ", theme.dim), rule]

    def toggle(self) -> None:
        """Show the summary or not."""
        self._open = not self._open and bool(self._receipt.summary)

    def whole(self, width: int, theme: Theme) -> list[Line]:
        """The summary."""
        return render_markdown(self._receipt.summary, width, theme) if self._receipt.summary else []


class OutputItem:
    """What a slash command printed: Markdown."""

    tight = False

    def __init__(self, text: str) -> None:
        self._text = text

    def estimate(self, width: int) -> int:
        """Its lines."""
        return self._text.count("\n") + len(self._text) // max(1, width) + 1

    def rows(self, width: int, theme: Theme) -> Rows:
        """As Markdown."""
        return render_markdown(self._text, width, theme)


def tone_style(tone: Tone, theme: Theme) -> Style:
    """How loud a tone is."""
    return {"quiet": theme.dim, "note": theme.note, "good": theme.good, "warn": theme.warn, "bad": theme.bad}[tone]


def openable(item: object) -> Openable | None:
    """`item` if it holds more than it shows."""
    return item if isinstance(item, UserItem | ThinkingItem | ToolItem | ReceiptItem) else None
