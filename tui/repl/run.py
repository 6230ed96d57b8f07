"""`ccagent --plain`: read a line, follow what it starts, show the meter, and again."""

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from agent.api import Session, is_slash, meter_text
from agent.protocol.errors import CcagentError, FilesError
from tui.early_signals import leave_in_peace
from tui.editor import edit_file
from tui.hang_up import HUNG_UP, HangUp
from tui.render.meter import meter_row
from tui.render.screen import Screen
from tui.render.theme import TERMINAL
from tui.repl.face import ReplFace
from tui.repl.reader import PlainReader, Reader, TerminalReader
from tui.std_streams import printing
from tui.view import MakeSession, drive

METER_WIDTH = 100  # columns
AGAIN = 2.0  # seconds in which a second Ctrl+C leaves


def run_repl(make_session: MakeSession, *, first_prompt: str | None, history: Path | None, version: str) -> int:
    """Run the REPL until the person leaves: 0; 128 + n when signal n ended it (129: the window was closed).

    CcagentError when no session can be opened, or standard output cannot be written.
    """
    line = HangUp()
    try:
        with printing():
            code = asyncio.run(_open(make_session, first_prompt, history, version, line))
    except (BrokenPipeError, FilesError) as error:  # nobody reads any more
        if line.happened:
            return HUNG_UP
        if isinstance(error, FilesError):
            raise
        return 1
    return HUNG_UP if line.happened else code


async def _open(
    make_session: MakeSession, first_prompt: str | None, history: Path | None, version: str, line: HangUp
) -> int:
    session = await make_session()
    try:
        return await _Repl(session, history, version).run(first_prompt, line)
    finally:
        await session.close()
        leave_in_peace(asyncio.get_running_loop().remove_signal_handler)


class _Repl:
    """One session at the terminal."""

    def __init__(self, session: Session, history: Path | None, version: str) -> None:
        fancy = _is_terminal() and os.environ.get("TERM", "") not in ("", "dumb")
        self._session = session
        self._version = version
        self._screen = Screen(colour=fancy and "NO_COLOR" not in os.environ)
        self._reader: Reader = (
            TerminalReader(history, session.complete) if fancy else PlainReader(self._screen, marks=_is_terminal())
        )
        self._face = ReplFace(self._screen, self._reader, model=session.status().model, interrupt=session.interrupt)
        self._running = False
        self._last_interrupt = -AGAIN
        self._signal = 0

    async def run(self, first_prompt: str | None, line: HangUp) -> int:
        """Until the person leaves, a signal says so or the window is closed."""
        loop = asyncio.get_running_loop()
        lines = asyncio.ensure_future(self._lines(first_prompt))
        loop.add_signal_handler(signal.SIGINT, self._interrupted, lines)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            loop.add_signal_handler(number, self._stop, number, lines)
        line.watch(lambda: self._stop(signal.SIGHUP, lines))
        background = asyncio.create_task(self._follow())
        try:
            await lines
        except asyncio.CancelledError:
            if not self._signal:
                raise
        finally:
            background.cancel()
            with suppress(asyncio.CancelledError):
                await background
        return 0 if self._signal in (0, signal.SIGINT) else 128 + self._signal

    async def _lines(self, first_prompt: str | None) -> None:
        self._greet()
        await self._session.start()
        if first_prompt:
            await self._do(first_prompt)
        while not self._face.leaving:
            try:
                line = await self._reader.prompt()
            except KeyboardInterrupt:
                if self._is_second():
                    return
                self._screen.line("Ctrl+C again or Ctrl+D leaves.", TERMINAL.dim)
                continue
            if line is None:
                return
            if line.strip():
                await self._do(line)

    async def _do(self, line: str) -> None:
        """Run one line to its end, whatever comes of it."""
        session = self._session
        if line.startswith("!"):
            stream = session.run_shell(line[1:].strip())
        elif is_slash(line):
            stream = session.run_slash(line.strip())
        else:
            stream = session.prompt(line)
        self._running = self._face.busy = True
        try:
            await drive(stream, self._face, session.answer)
        except CcagentError as error:
            self._screen.line(error.line, TERMINAL.bad)
        finally:
            self._running = self._face.busy = False
        if self._face.to_edit:
            path, self._face.to_edit = self._face.to_edit, ""
            if problem := edit_file(path, os.environ):
                self._screen.line(problem, TERMINAL.warn)
        if self._face.history_changed:
            self._face.history_changed = False
            self._face.replay(session.history())
        if not self._face.leaving:
            self._show_meter()

    def _show_meter(self) -> None:
        reading, status = self._session.reading(), self._session.status()
        words = meter_text(reading, auto=reading.auto, compact_disabled=status.compact_disabled)
        row = meter_row(reading, words, min(self._screen.width, METER_WIDTH), TERMINAL)
        self._screen.rows([row])
        if words not in row.text:
            self._screen.line(words, TERMINAL.warn)

    async def _follow(self) -> None:
        """Show what belongs to no prompt."""
        await drive(self._session.events(), self._face, self._session.answer)

    def _greet(self) -> None:
        status = self._session.status()
        self._screen.line(f"ccagent {self._version} · {status.model} · {status.cwd}", TERMINAL.strong)
        self._screen.line("/help lists the commands; Ctrl+C interrupts, Ctrl+D leaves.", TERMINAL.dim)
        self._face.replay(self._session.history())

    def _interrupted(self, lines: asyncio.Future[None]) -> None:
        """SIGINT: stop the run; a second one soon after leaves."""
        if self._is_second():
            self._stop(signal.SIGINT, lines)
        elif self._running:
            self._session.interrupt()
        else:
            self._screen.line("Ctrl+C again or Ctrl+D leaves.", TERMINAL.dim)

    def _is_second(self) -> bool:
        now = time.monotonic()
        second = now - self._last_interrupt < AGAIN
        self._last_interrupt = now
        return second

    def _stop(self, number: int, lines: asyncio.Future[None]) -> None:
        self._signal = number
        lines.cancel()


def _is_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
