"""One outbox per prompt: order, back-pressure, and no task left behind."""

import asyncio

import pytest

from agent.protocol.events import Emit, Event, Notice
from agent.session.outbox import BACKGROUND, BUFFER, Background, Outbox


def _notice(number: int) -> Notice:
    return Notice(level="info", text=str(number))


async def _collect(outbox: Outbox, work, tasks: list) -> list[Event]:
    return [event async for event in outbox.stream(work, tasks.append)]


async def test_events_come_in_order_and_the_stream_ends_with_the_work() -> None:
    async def work(emit: Emit) -> None:
        for number in range(3):
            await emit(_notice(number))

    assert await _collect(Outbox(), work, []) == [_notice(0), _notice(1), _notice(2)]


async def test_a_slow_reader_slows_the_work_down() -> None:
    sent: list[int] = []

    async def work(emit: Emit) -> None:
        for number in range(3 * BUFFER):
            await emit(_notice(number))
            sent.append(number)

    stream = Outbox().stream(work, lambda _task: None)
    await anext(stream)
    await asyncio.sleep(0.01)
    assert len(sent) <= BUFFER + 2
    await stream.aclose()


async def test_leaving_early_cancels_the_work_and_waits_for_its_end() -> None:
    ended: list[str] = []

    async def work(emit: Emit) -> None:
        try:
            await emit(_notice(0))
            await asyncio.sleep(60)
        finally:
            await emit(_notice(1))  # nobody reads any more: this must not block
            ended.append("ended")

    tasks: list[asyncio.Task[None]] = []
    stream = Outbox().stream(work, tasks.append)
    await anext(stream)
    await stream.aclose()
    assert ended == ["ended"]
    assert tasks[0].done()


async def test_what_comes_after_the_end_goes_to_whoever_takes_late_events() -> None:
    late: list[Event] = []
    kept: list[Emit] = []

    async def work(emit: Emit) -> None:
        kept.append(emit)
        await emit(_notice(0))

    assert await _collect(Outbox(late.append), work, []) == [_notice(0)]
    await kept[0](_notice(1))
    assert late == [_notice(1)]


async def test_an_error_of_the_work_reaches_the_reader() -> None:
    async def work(_emit: Emit) -> None:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        await _collect(Outbox(), work, [])


async def test_background_keeps_the_newest_for_a_late_reader_and_ends_on_close() -> None:
    background = Background()
    for number in range(BACKGROUND + 10):
        background.put(_notice(number))
    background.close()
    seen = [event async for event in background.stream()]
    assert seen[0] == _notice(10)
    assert seen[-1] == _notice(BACKGROUND + 9)
