"""How long a silent server is waited for: a stream that stalls is given up, not stared at."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from agent.protocol.errors import ConnectionFailed, StreamBroken
from agent.settings.env import number

T = TypeVar("T")

PROBE_SECONDS = 1.0  # cli.md: a first prompt is not held up for longer


class Patience(Struct, frozen=True):
    """Limits in seconds: until a connection stands, until the first byte, without any byte, without any event but pings, until a probe
    of the model's window is answered.

    A slow machine may read a long prompt for minutes before its first byte; afterwards the API pings, so silence means a
    dead line. Hidden thinking may leave nothing but pings for minutes.
    """

    connect: float = 10.0
    first_byte: float = 600.0
    silence: float = 120.0
    only_pings: float = 600.0
    probe: float = PROBE_SECONDS


def patience_from(env: Mapping[str, str], probe: float | None = None) -> Patience:
    """The usual patience, with API_TIMEOUT_MS as the wait for the first byte, and `probe` seconds for a probe."""
    told = number(env.get("API_TIMEOUT_MS", ""))
    usual = Patience() if probe is None else Patience(probe=probe)
    return usual if told is None or told <= 0 else replace(usual, first_byte=told / 1000)


async def guard_silence(chunks: AsyncIterator[bytes], patience: Patience) -> AsyncIterator[bytes]:
    """`chunks` as they come. Raises ConnectionFailed when the first, StreamBroken when a later one does not come in time."""
    begun = False
    while True:
        seconds = patience.silence if begun else patience.first_byte
        try:
            async with asyncio.timeout(seconds):
                chunk = await anext(chunks, None)
        except TimeoutError as error:
            raise StreamBroken(f"The API fell silent for {seconds:g} s.") if begun else unanswered(seconds) from error
        if chunk is None:
            return
        begun = True
        yield chunk


def unanswered(seconds: float) -> ConnectionFailed:
    """The error for an answer that did not begin within `seconds`."""
    return ConnectionFailed(f"The API did not answer within {seconds:g} s.")


class PingWatch:
    """Notices a stream that only pings: told of every event, it raises StreamBroken after `seconds` without another kind."""

    def __init__(self, seconds: float, now: float) -> None:
        self._seconds = seconds
        self._last = now

    def saw(self, kind: str, now: float) -> None:
        """An event of this kind came at `now` (monotonic seconds)."""
        if kind != "ping":
            self._last = now
        elif now - self._last >= self._seconds:
            raise StreamBroken(f"The API sent nothing but pings for {self._seconds:g} s.")

    async def watched(self, chunks: AsyncIterator[bytes], now: Callable[[], float]) -> AsyncIterator[bytes]:
        """`chunks`, each but the first taken for no more than a ping: comments, and an event that never ends, are no answer."""
        kind = "the first"
        async for chunk in chunks:
            self.saw(kind, now())
            kind = "ping"
            yield chunk
