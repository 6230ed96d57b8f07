"""Questions on their way to a person: each waits for its answer, and an answer to a dead question is dropped."""

import asyncio

from agent.loop.permission import unasked
from agent.protocol.asks import Answer, Ask, Permission
from agent.protocol.clock import Ids
from agent.protocol.events import Answered, Asked, Emit, Notice


class PendingAsks:
    """The open questions of a session, by id."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._waiting: dict[str, asyncio.Future[Answer]] = {}

    def answer(self, ask_id: str, answer: Answer) -> None:
        """Settles a question; late or unknown answers are dropped."""
        future = self._waiting.get(ask_id)
        if future is not None and not future.done():
            future.set_result(answer)

    async def put(self, question: Ask, emit: Emit) -> Answer:
        """Emits Asked, waits, emits Answered."""
        ask_id = self._ids.new()
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[ask_id] = future
        try:
            await emit(Asked(ask_id, question))
            answer = await future
        finally:
            del self._waiting[ask_id]
        await emit(Answered(ask_id, answer))
        return answer


class RunAsker:
    """The Asker of one run: its questions go where its events go, one at a time."""

    def __init__(self, pending: PendingAsks, emit: Emit) -> None:
        self._pending = pending
        self._emit = emit
        self._turn = asyncio.Lock()

    async def ask(self, question: Ask) -> Answer:
        """The person's answer."""
        async with self._turn:
            return await self._pending.put(question, self._emit)


class DenyingAsker:
    """Nobody is there to answer: every question is a no (headless), and the first call that is refused for it is told."""

    def __init__(self, emit: Emit | None = None) -> None:
        self._emit = emit

    async def ask(self, question: Ask) -> Answer:
        """No."""
        if isinstance(question, Permission) and self._emit is not None:
            await self._emit(Notice(level="warning", text=f"Not allowed: {question.title}: {unasked(question)}"))
            self._emit = None
        return Answer("deny", unasked=True)
