"""Where the REPL's lines come from: a line editor on a terminal, plain lines anywhere else."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer
from prompt_toolkit.completion import Completion as Suggestion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.patch_stdout import patch_stdout

from agent.api import Completion
from agent.files.regular import open_to_append
from tui.render.screen import Screen
from tui.stdin_lines import StdinLines

Complete = Callable[[str], tuple[Completion, ...]]
MARK, MORE = "> ", ". "


class Reader(Protocol):
    """Reads prompts and answers; None is the end of input. KeyboardInterrupt on Ctrl+C where the terminal hands it over as a key."""

    async def prompt(self) -> str | None: ...

    async def answer(self) -> str | None: ...

    async def rewrite(self, text: str) -> str | None: ...


class TerminalReader:
    """A line editor: history, completion, pasted lines as one prompt; Alt+Enter, or a backslash at the end, starts a new line."""

    def __init__(self, history: Path | None, complete: Complete) -> None:
        self._prompts: PromptSession[str] = PromptSession(
            history=_history(history),
            completer=_Completions(complete),
            complete_while_typing=False,
            key_bindings=_keys(),
            multiline=True,
            prompt_continuation=MORE,
        )
        self._answers: PromptSession[str] = PromptSession()

    async def prompt(self) -> str | None:
        """The next prompt."""
        return await self._read(self._prompts)

    async def answer(self) -> str | None:
        """One line that is not remembered."""
        return await self._read(self._answers)

    async def rewrite(self, text: str) -> str | None:
        """`text` as the person leaves it; Enter gives it, as it sends a prompt."""
        session: PromptSession[str] = PromptSession(key_bindings=_keys(), multiline=True, prompt_continuation=MORE)
        return await self._read(session, text)

    async def _read(self, session: PromptSession[str], text: str = "") -> str | None:
        try:
            with patch_stdout(raw=True):
                return await session.prompt_async(MARK, default=text, handle_sigint=False)
        except EOFError:
            return None


class PlainReader:
    """Lines of standard input; a backslash at a line's end continues it. `screen` gets the mark when a person is watching."""

    def __init__(self, screen: Screen, *, marks: bool) -> None:
        self._screen = screen
        self._marks = marks
        self._lines = StdinLines()

    async def prompt(self) -> str | None:
        """The next prompt: one line, or several with backslashes."""
        parts: list[str] = []
        while (line := await self._line(MORE if parts else MARK)) is not None:
            parts.append(line.removesuffix("\\"))
            if not line.endswith("\\"):
                break
        return "\n".join(parts) if parts else None

    async def answer(self) -> str | None:
        """The next line."""
        return await self._line(MARK)

    async def rewrite(self, text: str) -> str | None:
        """What stands in the place of `text`, given like a prompt: lines cannot be edited here."""
        return await self.prompt()

    async def _line(self, mark: str) -> str | None:
        if self._marks:
            self._screen.mark(mark)
        return await self._lines.next()


class _Completions(Completer):
    """The session's completions in the line editor's terms."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Suggestion]:
        """Completions of the text before the cursor."""
        before = document.text_before_cursor
        for found in self._complete(before):
            yield Suggestion(found.text, start_position=-len(before), display=found.text, display_meta=found.hint)


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys


def _history(file: Path | None) -> History:
    """The shared history file, readable by its owner only; kept in memory when the disk refuses."""
    if file is None:
        return InMemoryHistory()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(open_to_append(file))
    except OSError:
        return InMemoryHistory()
    return FileHistory(file)
