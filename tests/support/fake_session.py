"""A session with a script: it yields real protocol events and records what a face told it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

from agent.api import Completion, Status
from agent.protocol.asks import Answer
from agent.protocol.events import Asked, Event, ExitRequested, Interrupted, Notice, PromptFinished
from agent.protocol.meter import Reading, Tiers, Windows, WindowSource
from agent.protocol.results import RunResult, Subtype

READING = Reading(
    used=50_000,
    windows=Windows(model=200_000, compaction=200_000, max_output=64_000, source=WindowSource.TABLE),
    tiers=Tiers(warning=137_000, error=157_000, auto_compact=167_000, blocking=177_000),
)


STATUS = Status(
    model="claude-sonnet-5-5",
    mode="default",
    cwd="/repo",
    session_id="11111111-2222-4333-8444-555555555555",
    cost=0.0,
    branch="main",
    offline=False,
    transcript="/home/.ccagent/projects/-repo/11111111-2222-4333-8444-555555555555.jsonl",
    tools=("Read", "Bash"),
    slash_commands=("compact", "context"),
    skills=(),
    key_source="ANTHROPIC_API_KEY",
    running=False,
    compact_disabled=False,
)


class Wait(NamedTuple):
    """A step of a script that lasts until `interrupt()`; the run then ends as an interrupted one."""


Step = Event | Wait


class FakeSession:
    """Plays one script per prompt, in order; a question in a script waits for its answer, as the engine does."""

    def __init__(
        self, *scripts: Sequence[Step], background: Sequence[Event] = (), history: Sequence[Event] = ()
    ) -> None:
        self._scripts = list(scripts)
        self._background = background
        self._history = tuple(history)
        self._answers: dict[str, asyncio.Future[Answer]] = {}
        self._interrupted = asyncio.Event()
        self.prompts: list[str] = []
        self.slashes: list[str] = []
        self.shells: list[str] = []
        self.answers: dict[str, Answer] = {}
        self.started = 0
        self.interrupts = 0
        self.closed = False

    @property
    def id(self) -> str:
        return STATUS.session_id

    async def start(self) -> None:
        self.started += 1

    def prompt(self, text: str) -> AsyncIterator[Event]:
        self.prompts.append(text)
        return self._play()

    def run_slash(self, line: str) -> AsyncIterator[Event]:
        self.slashes.append(line)
        return self._exit() if line == "/exit" else self._play()

    def run_shell(self, command: str) -> AsyncIterator[Event]:
        self.shells.append(command)
        return self._play()

    def answer(self, ask_id: str, answer: Answer) -> None:
        waiting = self._answers.get(ask_id)
        if waiting is not None and not waiting.done():
            self.answers[ask_id] = answer
            waiting.set_result(answer)

    def interrupt(self) -> None:
        self.interrupts += 1
        self._interrupted.set()

    def history(self) -> tuple[Event, ...]:
        return self._history

    def reading(self) -> Reading:
        return READING

    def status(self) -> Status:
        return STATUS

    def complete(self, text: str) -> tuple[Completion, ...]:
        commands = (f"/{name}" for name in STATUS.slash_commands)
        return tuple(Completion(command) for command in commands if command.startswith(text))

    async def events(self) -> AsyncIterator[Event]:
        for event in self._background:
            yield event

    async def close(self) -> None:
        self.closed = True

    async def _exit(self) -> AsyncIterator[Event]:
        yield ExitRequested()
        yield PromptFinished(RunResult(subtype=Subtype.SUCCESS))

    async def _play(self) -> AsyncIterator[Event]:
        self._interrupted.clear()
        for step in self._scripts.pop(0):
            if not isinstance(step, Wait):
                if isinstance(step, Asked):
                    self._answers[step.id] = asyncio.get_running_loop().create_future()
                yield step
            if isinstance(step, Asked):
                await self._settled(self._answers[step.id])
            elif isinstance(step, Wait):
                await self._interrupted.wait()
            if self._interrupted.is_set():
                yield Interrupted()
                yield PromptFinished(RunResult(subtype=Subtype.DURING_EXECUTION, error="Interrupted."))
                return

    async def _settled(self, answered: asyncio.Future[Answer]) -> None:
        """Until the question is answered or the run interrupted."""
        stopped = asyncio.create_task(self._interrupted.wait())
        await asyncio.wait({stopped, answered}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()


def say(text: str, **result: object) -> list[Step]:
    """A script that answers `text`."""
    return [PromptFinished(RunResult(subtype=Subtype.SUCCESS, text=text, num_turns=1, **result))]


def printed(text: str) -> list[Step]:
    """A script of a slash command that prints `text`."""
    return [Notice("output", text), PromptFinished(RunResult(subtype=Subtype.SUCCESS))]


def fail(error: str, subtype: Subtype = Subtype.DURING_EXECUTION, text: str = "") -> list[Step]:
    """A script that fails."""
    return [PromptFinished(RunResult(subtype=subtype, error=error, text=text))]
