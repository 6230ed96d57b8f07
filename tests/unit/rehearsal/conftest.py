"""Rehearsal servers that end with their test."""

from collections.abc import Callable, Iterator

import pytest

from agent.rehearsal.script import Script, say
from agent.rehearsal.server import RehearsalThread


@pytest.fixture
def serve() -> Iterator[Callable[..., RehearsalThread]]:
    """Start servers that are closed at the end of the test; without a script they say ok for ever."""
    started: list[RehearsalThread] = []

    def start(script: Script | None = None, **options: object) -> RehearsalThread:
        server = RehearsalThread(script or Script([say("ok").times(0)]), **options)
        server.start()
        started.append(server)
        return server

    yield start
    for server in started:
        server.close()
