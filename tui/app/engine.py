"""The engine as the app sees it: the verbs and queries of `agent.api.Session` that it uses, so that a test can stand in a scripted one."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias

from agent.protocol.asks import Answer
from agent.protocol.events import Event
from agent.protocol.meter import Reading


class Status(Protocol):
    """What the app says about a session."""

    @property
    def model(self) -> str: ...

    @property
    def mode(self) -> str: ...

    @property
    def cwd(self) -> str: ...

    @property
    def cost(self) -> float: ...

    @property
    def branch(self) -> str: ...

    @property
    def offline(self) -> bool: ...

    @property
    def compact_disabled(self) -> bool: ...


class Completion(Protocol):
    """One way to go on with what was typed: the text to put in its place, and a few words about it."""

    @property
    def text(self) -> str: ...

    @property
    def hint(self) -> str: ...


class HistoryPage(Protocol):
    """Some of the conversation, and the number of records before it."""

    @property
    def events(self) -> tuple[Event, ...]: ...

    @property
    def first(self) -> int: ...


class Engine(Protocol):
    """The verbs and queries of architecture section 4."""

    @property
    def id(self) -> str: ...

    def prompt(self, text: str) -> AsyncIterator[Event]: ...

    def run_shell(self, command: str) -> AsyncIterator[Event]: ...

    def events(self) -> AsyncIterator[Event]: ...

    def answer(self, ask_id: str, answer: Answer) -> None: ...

    def interrupt(self) -> None: ...

    def queue(self, text: str) -> None: ...

    def unqueue(self) -> str | None: ...

    def set_mode(self, mode: str) -> None: ...

    def history_page(self, before: int | None = None) -> HistoryPage: ...

    def reading(self) -> Reading: ...

    def status(self) -> Status: ...

    def complete(self, text: str) -> Sequence[Completion]: ...

    async def start(self) -> None: ...

    async def close(self) -> None: ...


OpenEngine: TypeAlias = Callable[[], Awaitable[Engine]]
