"""A real session over real HTTP: a temporary home and git repository, and the strict rehearsal server as the API and the judge."""

import os
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from agent.api import Flags, Options, Session, open_session
from agent.protocol.asks import Answer, Ask
from agent.protocol.events import Asked, CompactFinished, Event, PromptFinished
from agent.protocol.results import Receipt, RunResult
from agent.rehearsal.replies import Reply
from agent.rehearsal.script import Script
from agent.rehearsal.server import Rehearsal
from tests.support.patience import PATIENCE

E = TypeVar("E")
YES = Answer("once")


def finished(events: list[Event]) -> RunResult:
    """The result that ends a prompt's stream."""
    assert isinstance(events[-1], PromptFinished)
    return events[-1].result


def of(events: list[Event], kind: type[E]) -> list[E]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


def used(tokens: int) -> dict[str, int]:
    """A usage that puts the meter at `tokens`."""
    return {
        "input_tokens": tokens - 10,
        "output_tokens": 10,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }


def asks_summary(body: dict[str, object]) -> bool:
    """Whether a request is for a summary."""
    return "<summary>" in msgspec.json.encode(body["messages"]).decode().rsplit('"role":"user"', 1)[-1]


class Walk:
    """One project, one server, and the sessions opened over them; every request must have been legal in the end."""

    def __init__(self, project: Path, home: Path, api: Rehearsal) -> None:
        self.project = project
        self.home = home
        self.api = api
        self.session: Session | None = None
        self.asked: list[Ask] = []

    async def open(
        self, *, flags: Flags | None = None, env: dict[str, str] | None = None, **options: object
    ) -> Session:
        """A session in the project; `options` as in Options."""
        if self.session is not None:
            await self.session.close()
        base = {
            **os.environ,
            "HOME": str(self.home),
            "ANTHROPIC_BASE_URL": self.api.url,
            "ANTHROPIC_API_KEY": "test-key",
        }
        settings = {"version": "0", "interactive": True, "probe_seconds": PATIENCE, **options}
        self.session = await open_session(
            Options(cwd=self.project, env={**base, **(env or {})}, flags=flags or Flags(), **settings)  # type: ignore[arg-type]
        )
        return self.session

    async def say(self, text: str, answer: Callable[[Ask], Answer] | Answer = YES) -> list[Event]:
        """Sends a prompt or slash command, answers every question, returns all events."""
        session = self.session or await self.open()
        events: list[Event] = []
        async for event in session.prompt(text):
            events.append(event)
            self.settle(event, answer)
        return events

    async def compact(self, line: str = "/compact") -> Receipt:
        """Sends `line` and returns the receipt: a compaction that was refused would make most tests of what comes after it pass."""
        events = await self.say(line)
        assert of(events, CompactFinished), finished(events).error
        return of(events, CompactFinished)[0].receipt

    def settle(self, event: Event, answer: Callable[[Ask], Answer] | Answer = YES) -> None:
        """Answers `event` if it is a question."""
        if isinstance(event, Asked) and self.session is not None:
            self.asked.append(event.ask)
            self.session.answer(event.id, answer if isinstance(answer, Answer) else answer(event.ask))

    def yes(self, event: Asked) -> None:
        """Answers a question with yes."""
        if self.session is not None:
            self.session.answer(event.id, YES)

    def texts(self) -> list[str]:
        """Each request's messages as one text."""
        return [msgspec.json.encode(body["messages"]).decode() for body in self.bodies()]

    def compactions(self) -> list[dict[str, object]]:
        """The bodies of the requests for a summary."""
        return [body for body in self.bodies() if asks_summary(body)]

    def spent(self) -> float:
        """US dollars that the session counts, which the rehearsal's answers only would have cost."""
        return self.session._state.totals.whole.cost or 0.0 if self.session else 0.0

    def transcript_text(self) -> str:
        """The transcript's file as it is now."""
        return Path(self.session.status().transcript).read_text(encoding="utf-8") if self.session else ""

    def bodies(self) -> list[dict[str, object]]:
        """The request bodies the server saw, in order."""
        return [dict(request.body) for request in self.api.requests]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A git repository with one file."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "hello.py").write_text("def greet():\n    return 'hello'\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    return folder


@pytest.fixture
async def make_walk(project: Path, clean_environment: Path) -> AsyncIterator[Callable[..., "object"]]:
    """Starts the server with a script; afterwards closes the session and asks the server for its verdict."""
    walks: list[Walk] = []

    async def make(*replies: Reply | Script, **server: object) -> Walk:
        [whole] = [each for each in replies if isinstance(each, Script)] or [Script(list(replies))]  # type: ignore[arg-type]
        api = Rehearsal(whole, **server)  # type: ignore[arg-type]
        await api.start()
        walks.append(Walk(project, clean_environment, api))
        return walks[-1]

    yield make
    for walk in walks:
        if walk.session is not None:
            await walk.session.close()
        await walk.api.close()
        walk.api.check()
