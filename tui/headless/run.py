"""`ccagent -p`: prompts in, one after another, events out, an exit code at the end."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TypeAlias

from msgspec import Struct

from agent.api import Session, is_slash
from agent.protocol.errors import CcagentError, MissingCredentials, UsageError
from agent.protocol.events import Event, HookFinished
from agent.protocol.results import RunResult, Subtype
from tui.headless.face import HeadlessFace, complain, tell
from tui.headless.formats import JsonOutput, Output, StreamJsonOutput, TextOutput
from tui.headless.prompts import json_prompts, text_prompt
from tui.render.safe import clean
from tui.std_streams import write_stdout
from tui.view import MakeSession, drive

EXIT_FAILED = 1
LAST_WORDS = 10.0  # seconds at most, for notices that a closed session still has to tell
Prompts: TypeAlias = Callable[[], AsyncIterator[str]]


class Print(Struct, frozen=True, kw_only=True):
    """What `-p` was asked: the prompt argument, formats (cli.md), whether deltas are wanted, and our version."""

    prompt: str | None = None
    output_format: str = "text"
    input_format: str = "text"
    partial: bool = False
    version: str = ""


def run_print(make_session: MakeSession, job: Print, *, make_for_command: MakeSession | None = None) -> int:
    """Run `job` to its end: 0, or 1 when a prompt failed, 130 or 143 when a signal stopped it. Never asks, never draws.

    `make_for_command` opens the session when its first prompt is a slash command, which may need no model. Piped text is read before the loop starts, where a signal still ends the wait.
    """
    try:
        output = _output(job)
        try:
            prompts = _prompts(job)
        except UsageError as error:
            return _refuse(output, error)
        return asyncio.run(_Run(make_session, make_for_command or make_session, output, prompts).main())
    except BrokenPipeError:  # the reader left, as `head` does: nothing to say, nobody to say it to
        return EXIT_FAILED
    except CcagentError as error:
        complain(error.line)
        return EXIT_FAILED


class _Run:
    """One headless run over one session."""

    def __init__(
        self, make_session: MakeSession, make_for_command: MakeSession, output: Output, prompts: Prompts
    ) -> None:
        self._make_session = make_session
        self._make_for_command = make_for_command
        self._output = output
        self._prompts = prompts
        self._session: Session | None = None
        self._owes = True  # a result: the first prompt's until it is written, a later one's while it is answered
        self._running = False
        self._signal = 0
        ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN  # `nohup`: the run is meant to outlive its terminal
        self._signals = (signal.SIGINT, signal.SIGTERM) if ignored else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    async def main(self) -> int:
        """Work until done or stopped by a signal; the exit code."""
        loop = asyncio.get_running_loop()
        work = asyncio.ensure_future(self._work())
        for number in self._signals:
            loop.add_signal_handler(number, self._stop, number, work)
        try:
            code = await work
        except asyncio.CancelledError:
            if not self._signal:
                raise
            code = EXIT_FAILED
            if self._owes:
                self._output.finish(INTERRUPTED, "", self._session)
        return 128 + self._signal if self._signal else code

    def _stop(self, number: int, work: asyncio.Future[int]) -> None:
        """The first signal ends what runs, with its result, and closes cleanly; the next one meets the default handler and kills."""
        self._signal = number
        for each in self._signals:
            asyncio.get_running_loop().remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)
        if self._running and self._session is not None:
            self._session.interrupt()
        else:
            work.cancel()

    async def _work(self) -> int:
        prompts = self._prompts()
        try:
            first = await anext(prompts, None)
            if first is None:
                raise UsageError("no prompt: standard input is empty.")
            session = await (self._make_for_command if is_slash(first) else self._make_session)()
        except CcagentError as error:
            return _refuse(self._output, error)
        self._session = session
        background = asyncio.create_task(self._follow(session))
        try:
            return await self._answer_all(session, first, prompts)
        finally:
            await session.close()
            await asyncio.wait({background}, timeout=LAST_WORDS)
            background.cancel()
            with suppress(asyncio.CancelledError):
                await background

    async def _answer_all(self, session: Session, first: str, rest: AsyncIterator[str]) -> int:
        code = await self._answer_one(session, first)
        try:
            while not self._signal and (prompt := await anext(rest, None)) is not None:
                code = max(code, await self._answer_one(session, prompt))
        except UsageError as error:  # a line of input that is none
            return _refuse(self._output, error, session)
        return code

    async def _answer_one(self, session: Session, prompt: str) -> int:
        face = HeadlessFace(self._output.show)
        self._owes = True
        try:
            await session.start()
            self._output.begin(session)
            stream = session.run_slash(prompt.strip()) if is_slash(prompt) else session.prompt(prompt)
            self._running = True
            result = await drive(stream, face, session.answer) or _broken("the run broke off.")
        except CcagentError as error:
            result = _broken(error.line)
        finally:
            self._running = False
        self._output.finish(result, result.text or face.printed, session)
        self._owes = False
        if result.is_error and not self._signal:
            complain(result.error or result.subtype.value)
        return EXIT_FAILED if result.is_error else 0

    async def _follow(self, session: Session) -> None:
        """Tell the notices and hooks that belong to no prompt."""

        def show(event: Event) -> None:
            if isinstance(event, HookFinished):
                self._output.show(event)

        await drive(session.events(), HeadlessFace(show), session.answer)


def _prompts(job: Print) -> Prompts:
    """Where the prompts come from; UsageError when piped text was expected and is not usable."""
    if job.input_format == "stream-json":
        return lambda: json_prompts(job.prompt)
    prompt = text_prompt(job.prompt)

    async def one() -> AsyncIterator[str]:
        yield prompt

    return one


def _output(job: Print) -> Output:
    if job.output_format == "json":
        return JsonOutput(write_stdout)
    if job.output_format == "stream-json":
        return StreamJsonOutput(write_stdout, version=job.version, partial=job.partial)
    return TextOutput(write_stdout, clean if os.isatty(1) else str)


def _broken(why: str) -> RunResult:
    return RunResult(subtype=Subtype.DURING_EXECUTION, error=why, terminal_reason="error")


INTERRUPTED = RunResult(subtype=Subtype.DURING_EXECUTION, error="Interrupted.", terminal_reason="aborted_streaming")


def _refuse(output: Output, error: CcagentError, session: Session | None = None) -> int:
    """Say why no session could be opened, or what `session` cannot go on with, in the format that was asked for too."""
    failed = RunResult(subtype=Subtype.DURING_EXECUTION, error=error.line, terminal_reason="not_started")
    output.finish(failed, "", session)
    for text in error.notices if isinstance(error, MissingCredentials) else ():
        tell("warning", text)
    complain(error.line)
    return EXIT_FAILED
