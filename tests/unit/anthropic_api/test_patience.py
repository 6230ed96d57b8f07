"""Silence before the first byte and after it have limits of their own."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from agent.anthropic_api.patience import Patience, PingWatch, guard_silence, patience_from
from agent.protocol.errors import ConnectionFailed, StreamBroken
from tests.support.patience import PATIENCE


async def _chunks(*pauses: float) -> AsyncIterator[bytes]:
    for pause in pauses:
        await asyncio.sleep(pause)
        yield b"x"


async def _read(patience: Patience, *pauses: float) -> int:
    return len([chunk async for chunk in guard_silence(_chunks(*pauses), patience)])


async def test_first_byte_may_take_longer_than_later_ones() -> None:
    assert await _read(Patience(first_byte=PATIENCE, silence=1), 1.1, 0, 0) == 3
    with pytest.raises(StreamBroken, match=r"silent for 0\.02 s"):
        await _read(Patience(first_byte=PATIENCE, silence=0.02), 0, PATIENCE)


async def test_first_byte_that_never_comes() -> None:
    with pytest.raises(ConnectionFailed, match=r"within 0\.02 s"):
        await _read(Patience(first_byte=0.02, silence=PATIENCE), PATIENCE)


def test_pings_count_from_the_last_real_event() -> None:
    watch = PingWatch(10, now=0)
    watch.saw("ping", 9)
    watch.saw("content_block_delta", 9)
    watch.saw("ping", 18)
    with pytest.raises(StreamBroken, match="nothing but pings for 10 s"):
        watch.saw("ping", 19)


@pytest.mark.parametrize(
    ("told", "seconds"), [("", 600.0), ("2500", 2.5), ("60_000", 60.0), ("0", 600.0), ("soon", 600.0)]
)
def test_the_environment_sets_the_wait_for_the_first_byte(told: str, seconds: float) -> None:
    assert patience_from({"API_TIMEOUT_MS": told}) == Patience(first_byte=seconds)
