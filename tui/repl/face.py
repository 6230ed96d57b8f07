"""The REPL's face: deltas as they come, one line for a call, numbered questions."""

from collections.abc import Callable

from agent.protocol.asks import Answer, Ask
from agent.protocol.events import (
    AssistantDone,
    Event,
    ExitRequested,
    Failed,
    HistoryChanged,
    Interrupted,
    PromptAccepted,
    PromptFinished,
    TextDelta,
    ToolFinished,
)
from tui.render.safe import clean_line
from tui.repl.questions import question_of
from tui.repl.reader import Reader
from tui.repl.screen import Screen
from tui.repl.words import said

REPLAYED = 40  # events of an old conversation that are printed again


class ReplFace:
    """Prints events; `interrupt` is called when the person answers a question with Ctrl+C."""

    def __init__(self, screen: Screen, reader: Reader, interrupt: Callable[[], None]) -> None:
        self._screen = screen
        self._reader = reader
        self._interrupt = interrupt
        self._explained = False
        self.leaving = False
        self.history_changed = False

    def show(self, event: Event) -> None:
        """Print `event`."""
        if isinstance(event, TextDelta):
            self._screen.piece(event.text)
        for line in said(event):
            self._screen.line(line.text, line.tone)
        if isinstance(event, Failed | Interrupted):
            self._explained = True
        elif isinstance(event, ExitRequested):
            self.leaving = True
        elif isinstance(event, HistoryChanged):
            self.history_changed = True
        elif isinstance(event, PromptFinished):
            self._screen.end_line()
            if event.result.is_error and not self._explained:
                self._screen.line(event.result.error or event.result.subtype.value, "error")
            self._explained = False

    def replay(self, events: tuple[Event, ...]) -> None:
        """Print the end of a conversation that was recorded earlier."""
        if len(events) > REPLAYED:
            self._screen.line(f"… {len(events) - REPLAYED} earlier events", "dim")
        for event in events[-REPLAYED:]:
            if isinstance(event, PromptAccepted):
                self._screen.line(f"> {event.text}", "bold")
            elif isinstance(event, AssistantDone) and event.message.text.strip():
                self._screen.line(event.message.text)
            elif isinstance(event, ToolFinished):
                self._screen.line(f"* {clean_line(event.title)}", "bold")
            self.show(event)

    async def ask(self, ask_id: str, question: Ask) -> Answer:
        """The person's choice; the end of input is a no, Ctrl+C a no that also stops the run."""
        asked = question_of(question)
        self._screen.line(asked.text, "bold")
        while True:
            self._screen.line(asked.menu)
            try:
                typed = await self._reader.answer()
            except KeyboardInterrupt:
                self._interrupt()
                return Answer("deny")
            if typed is None:
                return Answer("deny")
            answer = asked.read(typed)
            if answer is not None:
                return answer
