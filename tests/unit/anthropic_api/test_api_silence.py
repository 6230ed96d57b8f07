"""The client when the API says nothing, and when the person has heard enough."""

import asyncio
from contextlib import aclosing, suppress

import pytest

from agent.anthropic_api.patience import Patience
from agent.protocol.clock import SystemClock
from agent.protocol.errors import (
    ConnectionFailed,
    StreamBroken,
)
from agent.protocol.model import Retrying
from agent.rehearsal.script import (
    Script,
    say,
    stall,
)
from agent.rehearsal.server import Rehearsal
from tests.support.patience import until
from tests.unit.anthropic_api.wire_support import ONCE, MakeModel, collect, request, shown


async def test_silence_is_given_up_and_retried(make_model: MakeModel) -> None:
    async with Rehearsal(Script([stall(3600, after_words=1), say("Back.")])) as api:
        deltas, _ = await collect(make_model(api.url, patience=Patience(silence=1)), request())
    assert [delta.reason for delta in deltas if isinstance(delta, Retrying)] == ["The API fell silent for 1 s."]
    assert shown(deltas) == "Back."


async def test_pings_alone_are_given_up_too(make_model: MakeModel) -> None:
    async with Rehearsal(Script([stall(10, after_words=1, pings=True), say("Back.")])) as api:
        model = make_model(api.url, patience=Patience(silence=60, only_pings=1), watch=SystemClock())
        deltas, _ = await collect(model, request())
    assert any("nothing but pings" in delta.reason for delta in deltas if isinstance(delta, Retrying))


async def test_comments_without_end_are_given_up_too(make_model: MakeModel) -> None:
    gone = asyncio.Event()

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        with suppress(ConnectionError):
            while True:
                writer.write(b": still here\n")
                await writer.drain()
                await asyncio.sleep(0.05)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        gone.set()

    async with await asyncio.start_server(drip, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        patience = Patience(silence=60, only_pings=0.3)
        model = make_model(url, retry=ONCE, patience=patience, watch=SystemClock())
        with pytest.raises(StreamBroken, match="nothing but pings"):
            await collect(model, request())
        await gone.wait()


async def test_answer_that_never_begins_is_given_up(make_model: MakeModel) -> None:
    async with Rehearsal(Script([say("Late.").slow(0, delay=30)])) as api:
        with pytest.raises(ConnectionFailed, match="did not answer within"):
            await collect(make_model(api.url, retry=ONCE, patience=Patience(first_byte=0.2)), request())


async def _hung_up(api: Rehearsal) -> None:
    await until(lambda: api.requests[-1].hung_up)


async def test_cancelling_closes_the_connection(make_model: MakeModel) -> None:
    async with Rehearsal(Script([stall(30, after_words=1)])) as api:
        began = asyncio.Event()

        async def listen() -> None:
            async for _ in make_model(api.url).stream(request()):
                began.set()

        task = asyncio.create_task(listen())
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await _hung_up(api)


async def test_leaving_the_stream_closes_the_connection(make_model: MakeModel) -> None:
    async with Rehearsal(Script([stall(30, after_words=1)])) as api:
        async with aclosing(make_model(api.url).stream(request())) as pieces:
            async for _ in pieces:
                break
        await _hung_up(api)
