"""From the engine's events to items of the transcript: what is shown, and where it goes on."""

from typing import Protocol, TypeAlias, assert_never

from agent.protocol.blocks import Text, Thinking
from agent.protocol.events import (
    AssistantDone,
    CompactFailed,
    CompactFinished,
    Event,
    Failed,
    HookFinished,
    Interrupted,
    MicroCompacted,
    ModelChanged,
    Notice,
    PromptAccepted,
    RetryScheduled,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnStarted,
)
from tui.app.answer_item import AnswerItem
from tui.app.item_stack import Item
from tui.app.items import EventItem, OutputItem, ReceiptItem, ThinkingItem, UserItem
from tui.app.tool_item import ToolItem
from tui.render.events import Echoes, event_line

Streamed: TypeAlias = TurnStarted | TextDelta | ThinkingDelta | AssistantDone
Called: TypeAlias = ToolStarted | ToolProgress | ToolFinished
Told: TypeAlias = (
    HookFinished
    | MicroCompacted
    | CompactFinished
    | CompactFailed
    | RetryScheduled
    | Notice
    | Interrupted
    | Failed
    | ModelChanged
)


class Page(Protocol):
    """Where items go: the transcript view, or a list while a recorded conversation is read."""

    def add(self, item: Item) -> None:
        """Put an item at the end."""
        ...

    def changed(self, item: Item) -> None:
        """It looks different now."""
        ...

    def touch(self, item: Item) -> None:
        """It looks different, and soon will again: draw it with the next frame."""
        ...

    def discard(self, item: Item) -> None:
        """Take it away."""
        ...


class Screenwriter:
    """Writes the transcript; it knows which item the next event belongs to."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._answer: AnswerItem | None = None
        self._thinking: ThinkingItem | None = None
        self._draft: list[Item] = []  # of this turn, void when the request is tried again
        self._tools: dict[str, ToolItem] = {}
        self._echoes = Echoes()

    def write(self, event: Event) -> None:
        """Show `event` if it belongs into the transcript."""
        match event:
            case PromptAccepted(text=text):
                self._page.add(UserItem(text))
            case TurnStarted() | TextDelta() | ThinkingDelta() | AssistantDone():
                self._stream(event)
            case ToolStarted() | ToolProgress() | ToolFinished():
                self._call(event)
            case (
                HookFinished()
                | MicroCompacted()
                | CompactFinished()
                | CompactFailed()
                | RetryScheduled()
                | Notice()
                | Interrupted()
                | Failed()
                | ModelChanged()
            ):
                self._tell(event)
            case _:
                pass  # no item: the activity row, the footer and the panel show the others

    def close(self) -> None:
        """The stream ended, however: nothing on the page goes on."""
        self._end_thinking()
        if self._answer is not None:
            self._answer.close()
            self._page.touch(self._answer)
        self._answer = None
        self._draft = []
        for item in self._tools.values():
            item.stop()
            self._page.changed(item)
        self._tools.clear()

    def _stream(self, event: Streamed) -> None:
        match event:
            case TurnStarted():
                self.close()
            case TextDelta(text=text):
                self._end_thinking()
                if self._answer is None:
                    if not text.strip():
                        return
                    self._answer = AnswerItem(live=True)
                    self._begin(self._answer)
                self._answer.write(text)
                self._page.touch(self._answer)
            case ThinkingDelta(text=text):
                if self._thinking is None:
                    self._thinking = ThinkingItem(live=True)
                    self._begin(self._thinking)
                self._thinking.write(text)
                self._page.touch(self._thinking)
            case AssistantDone():
                self._done(event)
            case unreachable:
                assert_never(unreachable)

    def _begin(self, item: Item) -> None:
        self._draft.append(item)
        self._page.add(item)

    def _done(self, event: AssistantDone) -> None:
        """The recorded message decides: what streamed stays when it says the same, else it is written anew."""
        texts = [block.text for block in event.message.blocks if isinstance(block, Text)]
        shown = self._answer.text if self._answer is not None else ""
        if "".join(texts).strip() != shown.strip():
            self._void()
        if not self._draft:
            for block in event.message.blocks:
                if isinstance(block, Text) and block.text.strip():
                    self._page.add(AnswerItem(block.text))
                elif isinstance(block, Thinking) and block.thinking.strip():
                    self._page.add(ThinkingItem(block.thinking))
        self._end_thinking()
        if self._answer is not None:
            self._answer.close()
            self._page.touch(self._answer)
        self._answer, self._draft = None, []

    def _call(self, event: Called) -> None:
        item = self._tools.get(event.id)
        match event:
            case ToolStarted():
                self._tools[event.id] = started = ToolItem(event.name, event.title)
                self._page.add(started)
            case ToolProgress(text=text):
                if item is not None:
                    item.progress(text)
                    self._page.touch(item)
            case ToolFinished():
                if item is None:
                    item = ToolItem(event.name, event.title)
                    item.finish(event.output, event.duration_ms)
                    self._page.add(item)
                else:
                    item.finish(event.output, event.duration_ms)
                    self._page.changed(item)
                self._tools.pop(event.id, None)
            case unreachable:
                assert_never(unreachable)

    def _tell(self, event: Told) -> None:
        if isinstance(event, RetryScheduled):
            self._void()
        if self._echoes.has(event):
            return
        line = event_line(event)
        if isinstance(event, Notice) and event.level == "output":
            self._page.add(OutputItem(event.text))
        elif isinstance(event, CompactFinished) and line is not None:
            self._page.add(ReceiptItem(line, event.receipt))
        elif line is not None:
            self._page.add(EventItem(line))

    def _void(self) -> None:
        for item in self._draft:
            self._page.discard(item)
        self._answer = self._thinking = None
        self._draft = []

    def _end_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.close()
            self._page.changed(self._thinking)
            self._thinking = None


class PageList:
    """A page that only collects: for a recorded conversation, which has no live items."""

    def __init__(self) -> None:
        self.items: list[Item] = []

    def add(self, item: Item) -> None:
        """Keep it."""
        self.items.append(item)

    def changed(self, item: Item) -> None:
        """Nothing is drawn yet."""

    def touch(self, item: Item) -> None:
        """Nothing is drawn yet."""

    def discard(self, item: Item) -> None:
        """Drop it."""
        self.items = [kept for kept in self.items if kept is not item]


def recorded_items(events: tuple[Event, ...]) -> list[Item]:
    """The items of a recorded conversation."""
    page = PageList()
    writer = Screenwriter(page)
    for event in events:
        writer.write(event)
    return page.items
