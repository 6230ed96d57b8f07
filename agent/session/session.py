"""The door's inside: one session, its verbs and its queries."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from functools import partial

from msgspec import Struct

from agent.loop.run import run
from agent.loop.tally import Tally
from agent.protocol.asks import Answer
from agent.protocol.errors import CcagentError
from agent.protocol.events import Emit, Event, HookFinished, HookStarted, Notice, QueueChanged
from agent.protocol.meter import Reading
from agent.protocol.results import RunResult
from agent.protocol.text import scrub
from agent.session.argument_choices import argument_choices
from agent.session.asker import DenyingAsker, PendingAsks, RunAsker
from agent.session.command_run import run_command
from agent.session.complete import Completion, complete
from agent.session.ending import to_its_end
from agent.session.history import HistoryPage, history_events, history_page
from agent.session.idle import IdleNotice
from agent.session.outbox import Background, Outbox, Work
from agent.session.reload import reload_settings
from agent.session.shell import run_shell
from agent.session.slash import all_commands, command_names, is_slash
from agent.session.startup import Startup
from agent.session.state import State
from agent.session.status_line import StatusLineRunner
from agent.transcript.view import screen_view


class Status(Struct, frozen=True, kw_only=True):
    """What a face says about the session; `cost` in US dollars; `key_source` is what brings the API's key ("none": nothing does)."""

    model: str
    mode: str
    cwd: str
    session_id: str
    cost: float
    branch: str
    offline: bool
    transcript: str
    tools: tuple[str, ...]
    slash_commands: tuple[str, ...]
    skills: tuple[str, ...]
    key_source: str
    running: bool
    compact_disabled: bool


class Session:
    """Verbs and queries for a face; one prompt is one task and one stream of events."""

    def __init__(
        self,
        state: State,
        startup: Startup,
        asks: PendingAsks,
        background: Background,
        status_line: StatusLineRunner,
    ) -> None:
        self._state = state
        self._startup = startup
        self._asks = asks
        self._background = background
        self._status_line = status_line
        self._queue: deque[str] = deque()
        self._task: asyncio.Task[None] | None = None
        self._starting: asyncio.Task[None] | None = None
        self._closed = False
        self._idle = IdleNotice(state, background.emit)

    @property
    def id(self) -> str:
        """The session's id; /clear and /resume change it."""
        return self._state.conversation.transcript.session_id

    # ---- verbs

    async def start(self) -> None:
        """Asks for trust if the project needs it, runs SessionStart hooks, learns the model's window; safe to call again."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._startup.run(self._state, self._background.emit, self._asks))
            self._status_line.wake()
        await asyncio.shield(self._starting)

    def prompt(self, text: str) -> AsyncIterator[Event]:
        """Answers `text`, then whatever was queued meanwhile; each ends with its PromptFinished."""
        words = scrub(text)
        return self._stream(lambda emit: self._answer_all(words, emit))

    def run_slash(self, line: str) -> AsyncIterator[Event]:
        """Runs a slash command; ends with PromptFinished."""
        return self.prompt(line)

    def compact(self, instructions: str = "") -> AsyncIterator[Event]:
        """Compacts the conversation now."""
        return self.prompt(f"/compact {instructions}".rstrip())

    def run_shell(self, command: str) -> AsyncIterator[Event]:
        """Runs a person's own command and puts it and its output into the context."""
        shell = partial(self._shell_result, scrub(command))
        return self._stream(lambda emit: to_its_end(shell, self._state.parts.clock, emit))

    def answer(self, ask_id: str, answer: Answer) -> None:
        """Answers a question; a late answer is dropped."""
        self._asks.answer(ask_id, answer)

    def interrupt(self) -> None:
        """Stops what runs; the stream still ends with PromptFinished."""
        if self._task is not None and not self._task.done() and not self._task.cancelling():
            self._task.cancel()

    def queue(self, text: str) -> None:
        """Sends `text` when what runs now has ended."""
        self._queue.append(scrub(text))
        self._tell_queue()

    def unqueue(self) -> str | None:
        """Takes the last queued prompt back."""
        text = self._queue.pop() if self._queue else None
        self._tell_queue()
        return text

    def set_mode(self, mode: str) -> None:
        """Changes the permission mode."""
        changed = self._state.set_mode(mode)
        self._tell(changed)
        self._status_line.see(changed)

    async def close(self) -> None:
        """Stops what runs, waits for its end, runs SessionEnd hooks, lets the transcript go."""
        if self._closed:
            return
        self._closed = True
        self._idle.stop()
        self.interrupt()
        for task in (self._task, self._starting):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait([task])
        await self._status_line.close()
        await self._startup.end(self._state, self._background.emit)
        self._background.close()

    # ---- queries

    def history(self) -> tuple[Event, ...]:
        """The conversation so far, as events to show."""
        transcript = self._state.conversation.transcript
        entries = screen_view(transcript.entries(), transcript.leaf)
        return history_events(entries, self._state.parts.workplace.cwd)

    def history_page(self, before: int | None = None) -> HistoryPage:
        """The last part of the conversation so far, or the part before record `before`; from a prompt on."""
        return history_page(self._state.conversation.transcript, self._state.parts.workplace.cwd, before)

    def reading(self) -> Reading:
        """Where the meter stands."""
        return self._state.conversation.reading(self._state.parts.frame)

    def status(self) -> Status:
        """What a face says about the session now."""
        parts = self._state.parts
        return Status(
            model=parts.frame.model,
            mode=parts.authority.mode.value,
            cwd=str(parts.workplace.cwd),
            session_id=self.id,
            cost=self._state.totals.cost,
            branch=self._state.builder.opening.branch,
            offline=self._state.builder.offline,
            transcript=str(self._state.conversation.transcript.path),
            tools=tuple(parts.tools),
            slash_commands=command_names(self._state),
            skills=tuple(command.name for command in self._state.custom.latest if command.is_skill),
            key_source=self._state.key_source,
            running=self._task is not None and not self._task.done(),
            compact_disabled=bool(parts.compact_disabled),
        )

    def complete(self, text: str) -> tuple[Completion, ...]:
        """Ways to go on with `text`: slash commands, what can follow some of them, or files after @."""
        choices = argument_choices(text, self._state)
        return choices or complete(text, all_commands(self._state), self._state.parts.workplace.cwd)

    def events(self) -> AsyncIterator[Event]:
        """What belongs to no prompt, until the session closes."""
        return self._background.stream()

    # ---- inside

    async def _stream(self, work: Work) -> AsyncIterator[Event]:
        def started(task: "asyncio.Task[None]") -> None:
            self._task = task

        async with aclosing(Outbox(self._late).stream(lambda emit: work(self._seeing(emit)), started)) as events:
            async for event in events:
                yield event

    def _seeing(self, emit: Emit) -> Emit:
        """`emit` that also counts what is spent, wakes the status line, and says what was done to the record."""

        async def tell(event: Event) -> None:
            transcript = self._state.conversation.transcript
            if isinstance(event, HookFinished):
                with suppress(CcagentError):  # the next record will say it
                    transcript.mend()
            for text in transcript.news():
                await emit(Notice(level="warning", text=text))
            self._state.see(event)
            self._status_line.see(event)
            await emit(event)

        return tell

    async def _answer_all(self, text: str, emit: Emit) -> None:
        self._idle.stop()
        await self._answer(text, emit)
        while self._queue:
            text = self._queue.popleft()
            await emit(QueueChanged(tuple(self._queue)))
            await self._answer(text, emit)
        self._idle.begin()

    async def _answer(self, text: str, emit: Emit) -> None:
        await to_its_end(partial(self._result, text), self._state.parts.clock, emit)
        self._state.describe_session()

    async def _result(self, text: str, tally: Tally, emit: Emit) -> RunResult:
        await self._make_ready(emit)
        if is_slash(text):
            return await run_command(self._state, tally, text, emit, self._asks)
        return await run(self._state.deps(emit), tally, text)

    async def _shell_result(self, command: str, tally: Tally, emit: Emit) -> RunResult:
        await self._make_ready(emit)
        await run_shell(self._state, command, emit)
        return tally.result()

    async def _make_ready(self, emit: Emit) -> None:
        """Settings are as they are on disk, and whatever they bring is trusted or left out."""
        await self.start()
        await reload_settings(self._state, emit, self._asks)
        self._state.asker = RunAsker(self._asks, emit) if self._state.builder.interactive else DenyingAsker(emit)

    def _late(self, event: Event) -> None:
        """Hooks that nobody waits for may end after their prompt, and have done harm; whatever else comes late is of no use."""
        if isinstance(event, HookStarted | HookFinished | Notice):
            self._tell(event)

    def _tell_queue(self) -> None:
        self._tell(QueueChanged(tuple(self._queue)))

    def _tell(self, event: Event) -> None:
        self._background.put(event)
