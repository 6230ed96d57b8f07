"""Sending an answer over a connection, in whatever weather the script asks for."""

import asyncio
import socket
import struct
import time

import msgspec

from agent.rehearsal.http1 import LAST_CHUNK, chunk, response_head
from agent.rehearsal.replies import Cut, Weather
from agent.rehearsal.sse import PING, Event, error_event

TICK = 0.05
"""Seconds between two looks at whether the client is still there."""


class HungUp(Exception):
    """The client closed the connection before the answer was over."""


class Outcome(msgspec.Struct, frozen=True):
    """An answer ready to be sent: one body, or a stream of events."""

    status: int
    headers: dict[str, str]
    events: tuple[Event, ...]
    streamed: bool = False
    weather: Weather = Weather()

    @property
    def size(self) -> int:
        """Bytes of the whole body."""
        return sum(len(event.data) for event in self.events)


class Line:
    """One connection while an answer is sent over it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, outcome: Outcome, *, body: bool = True) -> bool:
        """Send an answer (without its body for HEAD). True when the connection can take another request.

        Raises `HungUp` when the client went away meanwhile.
        """
        framing = {"transfer-encoding": "chunked"} if outcome.streamed else {"content-length": str(outcome.size)}
        head = response_head(outcome.status, outcome.headers | framing)
        try:
            if outcome.weather == Weather():
                data = b"".join(event.data for event in outcome.events) if body else b""
                self._writer.write(head + (chunk(data) + LAST_CHUNK if outcome.streamed and data else data))
                await self._writer.drain()
                return True
            return await self._send_in_weather(head, outcome)
        except ConnectionError as error:
            raise HungUp from error

    async def _send_in_weather(self, head: bytes, outcome: Outcome) -> bool:
        weather = outcome.weather
        await self.pause(weather.delay)
        self._writer.write(head)
        words, sent = 0, 0
        cut = weather.cut
        for event in outcome.events:
            data = event.data
            if cut is not None and cut.after_bytes is not None and sent + len(data) > cut.after_bytes:
                early = max(0, cut.after_bytes - sent)
                await self._write(data[:early], outcome)
                if not await self._break(cut, outcome):
                    return False
                data, sent, cut = data[early:], sent + early, None
            await self._write(data, outcome)
            words, sent = words + event.words, sent + len(data)
            if cut is not None and cut.after_words is not None and words >= cut.after_words:
                if not await self._break(cut, outcome):
                    return False
                cut = None
            await self.pause(weather.gap)
        if outcome.streamed:
            self._writer.write(LAST_CHUNK)
        await self._writer.drain()
        return True

    async def pause(self, seconds: float) -> None:
        """Wait; raises `HungUp` when the client leaves meanwhile."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self._reader.at_eof() or self._writer.is_closing():
                raise HungUp
            await asyncio.sleep(min(left, TICK))

    async def _write(self, data: bytes, outcome: Outcome) -> None:
        step = outcome.weather.chunk or len(data)
        for start in range(0, len(data), max(step, 1)):
            part = data[start : start + step]
            self._writer.write(chunk(part) if outcome.streamed else part)
            await self._writer.drain()
            if outcome.weather.chunk:
                await asyncio.sleep(0)

    async def _break(self, cut: Cut, outcome: Outcome) -> bool:
        """Do what the cut says; False when nothing more is to be sent."""
        match cut.how:
            case "stall":
                await self._stall(cut, outcome)
                return True
            case "error":
                await self._write(error_event(cut.error, cut.message).data, outcome)
                self._writer.write(LAST_CHUNK)
                await self._writer.drain()
            case "rst":
                self._reset()
            case "fin":
                await self._writer.drain()
        return False

    async def _stall(self, cut: Cut, outcome: Outcome) -> None:
        end = time.monotonic() + cut.seconds
        while (left := end - time.monotonic()) > 0:
            if cut.pings:
                await self._write(PING.data, outcome)
            await self.pause(min(left, max(TICK, cut.seconds / 10)))

    def _reset(self) -> None:
        raw = self._writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()
