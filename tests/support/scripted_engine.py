"""An engine with a script: it yields real protocol events, waits where the real one waits, and records what the app told it."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

from agent.protocol.asks import Answer
from agent.protocol.events import (
    Answered,
    Asked,
    Event,
    Interrupted,
    MeterChanged,
    ModeChanged,
    PromptFinished,
    QueueChanged,
)
from agent.protocol.meter import Reading, Tiers, Windows, WindowSource
from agent.protocol.results import RunResult, Subtype
from agent.session.history import HistoryPage

TIERS = Tiers(warning=137_000, error=157_000, auto_compact=167_000, blocking=177_000)
TIERS_OFF = Tiers(warning=147_000, error=167_000, auto_compact=None, blocking=177_000)


def reading(used: int | None, *, tiers: Tiers = TIERS, estimated: bool = False, window: int = 200_000) -> Reading:
    """A reading of a model with a 200K window."""
    windows = Windows(model=window, compaction=window, max_output=64_000, source=WindowSource.TABLE)
    auto = tiers.auto_compact is not None
    return Reading(used=used, windows=windows, tiers=tiers, estimated=estimated, auto=auto)


class ScriptedStatus(NamedTuple):
    """A session's own account of itself."""

    model: str = "claude-sonnet-5-5"
    mode: str = "default"
    cwd: str = "/home/ada/parser"
    cost: float = 0.12
    branch: str = "main"
    offline: bool = False
    compact_disabled: bool = False


class ScriptedCompletion(NamedTuple):
    """A way to go on."""

    text: str
    hint: str = ""


class Wait(NamedTuple):
    """The script stops here until `go()`, or until it is interrupted."""


Step = Event | Wait
DONE = PromptFinished(RunResult(subtype=Subtype.SUCCESS))
STOPPED = PromptFinished(RunResult(subtype=Subtype.DURING_EXECUTION, error="Interrupted."))

COMPLETIONS = (
    ScriptedCompletion("/compact", "summarise the conversation now"),
    ScriptedCompletion("/context", "where the tokens went"),
    ScriptedCompletion("/clear", "start anew"),
)


class ScriptedEngine:
    """Plays one script per prompt, in order; no script left means an answer of nothing."""

    def __init__(
        self,
        *scripts: Sequence[Step],
        history: Sequence[Event] = (),
        background: Sequence[Step] = (),
        first_reading: Reading | None = None,
        status: ScriptedStatus | None = None,
        sessions: Sequence[ScriptedCompletion] = (),
        points: Sequence[ScriptedCompletion] = (),
        page: int = 1_000_000,
    ) -> None:
        self._scripts = deque(scripts)
        self._history = tuple(history)
        self._page = page
        self._background = tuple(background)
        self._reading = first_reading or reading(20_000)
        self._status = status or ScriptedStatus()
        self._arguments = {"/resume ": tuple(sessions), "/rewind ": tuple(points)}
        self._queue: deque[str] = deque()
        self._own: asyncio.Queue[Event] = asyncio.Queue()
        self._gate = asyncio.Event()
        self._interrupted = asyncio.Event()
        self._waiting: dict[str, asyncio.Future[Answer]] = {}
        self.prompts: list[str] = []
        self.shells: list[str] = []
        self.answers: dict[str, Answer] = {}
        self.interrupts = 0
        self.started = self.closed = 0

    id = "11111111-2222-4333-8444-555555555555"

    async def start(self) -> None:
        self.started += 1

    async def close(self) -> None:
        self.closed += 1

    def go(self) -> None:
        """Let a waiting script go on."""
        self._gate.set()

    def tell(self, event: Event) -> None:
        """Emit an event that belongs to no prompt."""
        self._own.put_nowait(event)

    async def prompt(self, text: str) -> AsyncIterator[Event]:
        self.prompts.append(text)
        async for event in self._play():
            yield event
        while self._queue and not self._interrupted.is_set():
            self.prompts.append(self._queue.popleft())
            yield QueueChanged(tuple(self._queue))
            async for event in self._play():
                yield event

    async def run_shell(self, command: str) -> AsyncIterator[Event]:
        self.shells.append(command)
        async for event in self._play():
            yield event

    async def events(self) -> AsyncIterator[Event]:
        async for event in self._steps(self._background):
            yield event
        while True:
            yield await self._own.get()

    def answer(self, ask_id: str, answer: Answer) -> None:
        waiting = self._waiting.get(ask_id)
        if waiting is not None and not waiting.done():
            self.answers[ask_id] = answer
            waiting.set_result(answer)

    def interrupt(self) -> None:
        self.interrupts += 1
        self._interrupted.set()
        self._gate.set()

    def queue(self, text: str) -> None:
        self._queue.append(text)
        self.tell(QueueChanged(tuple(self._queue)))

    def unqueue(self) -> str | None:
        text = self._queue.pop() if self._queue else None
        self.tell(QueueChanged(tuple(self._queue)))
        return text

    def set_mode(self, mode: str) -> None:
        self._status = self._status._replace(mode=mode)
        self.tell(ModeChanged(mode))

    def history_page(self, before: int | None = None) -> HistoryPage:
        end = len(self._history) if before is None else before
        first = max(0, end - self._page)
        return HistoryPage(self._history[first:end], first)

    def reading(self) -> Reading:
        return self._reading

    def status(self) -> ScriptedStatus:
        return self._status

    def complete(self, text: str) -> Sequence[ScriptedCompletion]:
        if text in self._arguments:
            return self._arguments[text]
        if text.startswith("/") and " " not in text:
            return [item for item in COMPLETIONS if item.text.startswith(text)]
        if "@" in text:
            head, _, stem = text.rpartition("@")
            return [ScriptedCompletion(f"{head}@{name}") for name in ("src/", "setup.py") if name.startswith(stem)]
        return ()

    async def _play(self) -> AsyncIterator[Event]:
        self._interrupted.clear()
        async for event in self._steps(self._scripts.popleft() if self._scripts else [DONE]):
            yield event
            if self._interrupted.is_set():
                yield Interrupted()
                yield STOPPED
                return

    async def _steps(self, steps: Sequence[Step]) -> AsyncIterator[Event]:
        for step in steps:
            if isinstance(step, Wait):
                self._gate.clear()
                await self._gate.wait()
                if self._interrupted.is_set():
                    yield Interrupted()
                    yield STOPPED
                    return
                continue
            if isinstance(step, MeterChanged):
                self._reading = step.reading
            if isinstance(step, Asked):
                self._waiting[step.id] = asyncio.get_running_loop().create_future()
            yield step
            if isinstance(step, Asked):
                yield Answered(step.id, await self._waiting[step.id])
            await asyncio.sleep(0)
