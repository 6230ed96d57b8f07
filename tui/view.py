"""What every face does: show what happens, ask what is asked, and follow one stream of events to its end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol, TypeAlias

from agent.api import Session
from agent.protocol.asks import Answer, Ask
from agent.protocol.events import Answered, Asked, Event, PromptFinished
from agent.protocol.results import RunResult

MakeSession: TypeAlias = Callable[[], Awaitable[Session]]
Settle: TypeAlias = Callable[[str, Answer], None]  # Session.answer


class Face(Protocol):
    """A face shows events and asks questions; it decides nothing else."""

    def show(self, event: Event) -> None:
        """Draw `event`; called in order, for every event of a stream."""
        ...

    async def ask(self, ask_id: str, question: Ask) -> Answer:
        """The person's answer; cancelled when the question is settled elsewhere or the run ends."""
        ...


async def drive(stream: AsyncIterator[Event], face: Face, answer: Settle) -> RunResult | None:
    """Follow `stream` to its end; the run's result, or None when the stream was cut off before PromptFinished.

    A question does not hold the events behind it; of several questions the face sees one at a time.
    """
    questions = _Questions(face, answer)
    result: RunResult | None = None
    try:
        async for event in stream:
            face.show(event)
            if isinstance(event, Asked):
                questions.open(event.id, event.ask)
            elif isinstance(event, Answered):
                questions.drop(event.id)
            elif isinstance(event, PromptFinished):
                result = event.result
    finally:
        await questions.close()
    return result


class _Questions:
    """The open questions of one stream, each a task, asked one after another."""

    def __init__(self, face: Face, answer: Settle) -> None:
        self._face = face
        self._answer = answer
        self._turn = asyncio.Lock()
        self._open: dict[str, asyncio.Task[None]] = {}

    def open(self, ask_id: str, question: Ask) -> None:
        self._open[ask_id] = asyncio.create_task(self._settle(ask_id, question))

    def drop(self, ask_id: str) -> None:
        if ask_id in self._open:
            self._open[ask_id].cancel()

    async def close(self) -> None:
        for task in self._open.values():
            task.cancel()
        outcomes = await asyncio.gather(*self._open.values(), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    async def _settle(self, ask_id: str, question: Ask) -> None:
        reply = Answer("deny")
        try:
            async with self._turn:
                reply = await self._face.ask(ask_id, question)
        finally:  # the engine must never wait for a face that failed; a late answer is dropped
            self._answer(ask_id, reply)
