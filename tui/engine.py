"""The engine as faces see it: the part of `agent.api.Session` they use, so that a test can stand in a scripted one."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol, TypeAlias

from agent.protocol.asks import Answer
from agent.protocol.events import Event
from agent.protocol.meter import Reading


class Status(Protocol):
    """What a face says about a session at its start."""

    @property
    def model(self) -> str: ...

    @property
    def mode(self) -> str: ...

    @property
    def cwd(self) -> str: ...

    @property
    def session_id(self) -> str: ...

    @property
    def offline(self) -> bool: ...

    @property
    def tools(self) -> tuple[str, ...]: ...

    @property
    def slash_commands(self) -> tuple[str, ...]: ...

    @property
    def cost(self) -> float: ...

    @property
    def branch(self) -> str: ...

    @property
    def compact_disabled(self) -> bool: ...


class Completion(Protocol):
    """One way to go on with what was typed: the text to put in, and a few words about it."""

    @property
    def text(self) -> str: ...

    @property
    def hint(self) -> str: ...


class Engine(Protocol):
    """The verbs and queries of architecture section 4."""

    @property
    def id(self) -> str: ...

    def prompt(self, text: str) -> AsyncIterator[Event]: ...

    def run_slash(self, line: str) -> AsyncIterator[Event]: ...

    def run_shell(self, command: str) -> AsyncIterator[Event]: ...

    def events(self) -> AsyncIterator[Event]: ...

    def answer(self, ask_id: str, answer: Answer) -> None: ...

    def interrupt(self) -> None: ...

    def queue(self, text: str) -> None: ...

    def unqueue(self) -> str | None: ...

    def set_mode(self, mode: str) -> None: ...

    def history(self) -> tuple[Event, ...]: ...

    def reading(self) -> Reading: ...

    def status(self) -> Status: ...

    def complete(self, text: str) -> tuple[Completion, ...]: ...

    async def start(self) -> None: ...

    async def close(self) -> None: ...


MakeSession: TypeAlias = Callable[[], Awaitable[Engine]]


def is_slash(text: str) -> bool:
    """Whether `text` is a slash command: its first word begins with a slash and has no second one."""
    first = text.split(maxsplit=1)[:1]
    return bool(first) and first[0].startswith("/") and "/" not in first[0][1:]
