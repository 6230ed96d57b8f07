"""The REPL's face: deltas as they come, a few lines for a call, numbered questions."""

from collections.abc import Callable, Sequence

from rich.cells import cell_len

from agent.protocol.asks import Answer, Ask
from agent.protocol.events import (
    AssistantDone,
    CompactProgress,
    CompactStarted,
    EditorRequested,
    Event,
    ExitRequested,
    Failed,
    HistoryChanged,
    Interrupted,
    ModeChanged,
    ModelChanged,
    Notice,
    PromptAccepted,
    PromptFinished,
    StatusLineChanged,
    TasksChanged,
    TextDelta,
    ToolFinished,
    ToolStarted,
)
from agent.protocol.text import counted
from tui.render.details import details_words, output_rows
from tui.render.events import Echoes, event_line
from tui.render.lines import indent
from tui.render.markdown import render_markdown
from tui.render.questions import Reply, question_rows, question_title, replies
from tui.render.safe import clean_line
from tui.render.screen import Screen
from tui.render.wrap import wrap_text
from tui.repl.reader import Reader

REPLAYED = 40  # events of an old conversation that are printed again
SHOWN_LINES = 12  # of a diff or an output


class ReplFace:
    """Prints events; `model` is the one it need not name again; `interrupt` is called for a question answered with Ctrl+C."""

    def __init__(self, screen: Screen, reader: Reader, *, model: str, interrupt: Callable[[], None]) -> None:
        self._screen = screen
        self._reader = reader
        self._interrupt = interrupt
        self._model = model
        self._explained = False
        self._echoes = Echoes()
        self.leaving = False
        self.busy = False  # while something runs, a status line would stand in the middle of it
        self.history_changed = False
        self.to_edit = ""

    def show(self, event: Event) -> None:
        """Print `event`."""
        screen, theme = self._screen, self._screen.theme
        match event:
            case TextDelta(text=text):
                screen.piece(text)
            case ToolStarted(title=title):
                screen.line(f"* {clean_line(title)}", theme.strong)
            case ToolFinished():
                self._show_outcome(event)
            case Notice(level="output", text=text):
                screen.rows(render_markdown(text, screen.width, theme))
            case CompactStarted():
                screen.line("Compacting conversation…", theme.dim)
            case CompactProgress(note=note) if note:
                screen.line(note, theme.dim)
            case ModeChanged(mode=mode):
                screen.line(f"Permission mode: {mode}", theme.note)
            case StatusLineChanged(lines=lines) if lines and not self.busy:
                screen.line("\n".join(lines), theme.dim)
            case TasksChanged(tasks=tasks):
                screen.line("\n".join(f"[{state}] {task}" for state, task in tasks), theme.dim)
            case ModelChanged(model=model) if model == self._model:
                pass
            case _:
                self._show_line(event)
        self._remember(event)

    def replay(self, events: Sequence[Event]) -> None:
        """Print the end of a conversation that was recorded earlier."""
        theme = self._screen.theme
        if len(events) > REPLAYED:
            self._screen.line(f"… {len(events) - REPLAYED} earlier events", theme.dim)
        for event in events[-REPLAYED:]:
            if isinstance(event, PromptAccepted):
                self._screen.line(f"> {event.text}", theme.user)
            elif isinstance(event, AssistantDone) and event.message.text.strip():
                self._screen.line(event.message.text)
            elif isinstance(event, ToolFinished):
                self._screen.line(f"* {clean_line(event.title)}", theme.strong)
            self.show(event)

    async def ask(self, ask_id: str, question: Ask) -> Answer:
        """The person's choice by number or letter, words after a no for the model; the end of input is a no, Ctrl+C stops the run too."""
        screen, theme, choices = self._screen, self._screen.theme, replies(question)
        screen.line(question_title(question), theme.strong)
        screen.rows(question_rows(question, screen.width, theme))
        while True:
            screen.line(_choice_words(choices, screen.width))
            try:
                typed = await self._reader.answer()
            except KeyboardInterrupt:
                self._interrupt()
                return Answer("deny")
            answer = Answer("deny") if typed is None else await self._answered(typed, choices)
            if answer is not None:
                return answer

    async def _answered(self, typed: str, choices: Sequence[Reply]) -> Answer | None:
        """What was typed as an answer; a text that belongs to it may follow its letter, else it is asked for."""
        word, _, words = typed.strip().partition(" ")
        reply = chosen_reply(word, choices)
        if reply is None:
            return None
        if reply.rewrite is None:
            return reply.answer if reply.answer.allowed else Answer("deny", words.strip())
        text = words.strip() or await self._reader.rewrite(reply.rewrite)
        return None if text is None else reply.given(text)

    def _show_outcome(self, event: ToolFinished) -> None:
        screen, theme = self._screen, self._screen.theme
        if words := details_words(event.output.details):
            screen.line(f"  {words}", theme.dim)
        shown = output_rows(event.output, screen.width - 2, theme, SHOWN_LINES)
        screen.rows(shown.rows)
        if shown.hidden:
            screen.line(f"  … {counted(shown.hidden, 'earlier line' if shown.at_top else 'more line')}", theme.dim)

    def _show_line(self, event: Event) -> None:
        theme = self._screen.theme
        line = None if self._echoes.has(event) else event_line(event)
        if line is not None:
            styles = {"quiet": theme.dim, "note": theme.note, "good": theme.good, "warn": theme.warn, "bad": theme.bad}
            style = styles[line.tone]
            rows = wrap_text(line.text, style, self._screen.width - 2)
            self._screen.rows(indent(rows, f"{line.mark} ", "  ", style))

    def _remember(self, event: Event) -> None:
        """What the loop asks about afterwards; a failed run that nothing explained is explained at its end."""
        if isinstance(event, Failed | Interrupted):
            self._explained = True
        elif isinstance(event, ExitRequested):
            self.leaving = True
        elif isinstance(event, EditorRequested):
            self.to_edit = event.path
        elif isinstance(event, HistoryChanged):
            self.history_changed = True
        elif isinstance(event, ModelChanged):
            self._model = event.model
        elif isinstance(event, PromptFinished):
            self._screen.end_line()
            self.history_changed &= (
                not event.result.is_error
            )  # a prompt that is given back: all that was printed still holds
            if event.result.is_error and not self._explained:
                self._screen.line(event.result.error or event.result.subtype.value, self._screen.theme.bad)
            self._explained = False


def _choice_words(choices: Sequence[Reply], width: int) -> str:
    """The numbered answers, in one row if they fit."""
    numbered = [f"{number} {reply.words}" for number, reply in enumerate(choices, 1)]
    row = "   ".join(numbered)
    return row if cell_len(row) <= width else "\n".join(numbered)


def chosen_reply(word: str, choices: Sequence[Reply]) -> Reply | None:
    """The answer whose number, letter or words these are; None when there is none."""
    for number, reply in enumerate(choices, 1):
        if word.lower() in (str(number), reply.letter, reply.words.lower()):
            return reply
    return None
