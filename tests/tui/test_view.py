"""How a face is driven: order, questions, and ends."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from agent.protocol.asks import Answer, Ask, Permission, Plan
from agent.protocol.events import Answered, Asked, Event, PromptFinished, TextDelta
from agent.protocol.results import RunResult, Subtype
from tests.support.fake_session import FakeSession, say
from tui.view import drive

QUESTION = Permission(tool="Bash", tool_use_id="t1", title="run ls", input={})
DONE = PromptFinished(RunResult(subtype=Subtype.SUCCESS, text="done"))


class Recorder:
    """Shows by recording; answers what it is told to, once `ready` is set."""

    def __init__(self, reply: Answer | Exception | None = None) -> None:
        self.reply = reply
        self.seen: list[Event] = []
        self.asked: list[Ask] = []
        self.cancelled = 0

    def show(self, event: Event) -> None:
        self.seen.append(event)

    async def ask(self, ask_id: str, question: Ask) -> Answer:
        self.asked.append(question)
        if isinstance(self.reply, Exception):
            raise self.reply
        if self.reply is not None:
            return self.reply
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        raise AssertionError("unreachable")


async def test_events_are_shown_in_order_and_the_result_is_returned() -> None:
    session = FakeSession([TextDelta("do"), TextDelta("ne"), DONE])
    face = Recorder()
    result = await drive(session.prompt("x"), face, session.answer)
    assert face.seen == [TextDelta("do"), TextDelta("ne"), DONE]
    assert result == DONE.result


async def test_an_answer_reaches_the_engine() -> None:
    session = FakeSession([Asked("q1", QUESTION), *say("ok")])
    face = Recorder(Answer("session"))
    await drive(session.prompt("x"), face, session.answer)
    assert face.asked == [QUESTION]
    assert session.answers == {"q1": Answer("session")}


async def test_a_question_does_not_hold_the_events_behind_it() -> None:
    face = Recorder()

    async def stream() -> AsyncIterator[Event]:
        yield Asked("q1", QUESTION)
        yield TextDelta("meanwhile")
        await asyncio.sleep(0)
        yield DONE

    answers: list[tuple[str, Answer]] = []
    await drive(stream(), face, lambda ask_id, answer: answers.append((ask_id, answer)))
    assert TextDelta("meanwhile") in face.seen
    assert answers == [("q1", Answer("deny"))]


async def test_a_question_settled_elsewhere_is_withdrawn_and_the_next_is_asked() -> None:
    face = Recorder()

    async def stream() -> AsyncIterator[Event]:
        yield Asked("q1", QUESTION)
        yield Asked("q2", Plan("do it"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert face.asked == [QUESTION]
        yield Answered("q1", Answer("once"))
        for _ in range(4):
            await asyncio.sleep(0)
        assert face.asked == [QUESTION, Plan("do it")]
        yield DONE

    await drive(stream(), face, lambda _id, _answer: None)
    assert face.cancelled == 2


async def test_a_face_that_fails_denies_and_the_failure_is_raised() -> None:
    session = FakeSession([Asked("q1", QUESTION), *say("ok")])
    face = Recorder(ValueError("no such widget"))
    with pytest.raises(ValueError, match="no such widget"):
        await drive(session.prompt("x"), face, session.answer)
    assert session.answers == {"q1": Answer("deny")}


async def test_a_stream_cut_off_has_no_result() -> None:
    session = FakeSession([TextDelta("do")])
    assert await drive(session.prompt("x"), Recorder(), session.answer) is None
