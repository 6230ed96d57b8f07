"""Server-sent events however the network cuts them."""

from collections.abc import AsyncIterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.anthropic_api.sse import event_data


async def _chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def _read(*parts: bytes) -> list[bytes]:
    return [data async for data in event_data(_chunks(*parts))]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
async def test_data_of_each_event_is_yielded(newline: bytes) -> None:
    body = newline.join([b"event: a", b"data: 1", b"", b": comment", b"", b"data:2", b"data: 3", b"id: 9", b"", b""])
    assert await _read(body) == [b"1", b"2\n3"]


async def test_event_cut_off_by_the_end_is_not_yielded() -> None:
    assert await _read(b"data: whole\n\ndata: half\n") == [b"whole"]


@given(st.lists(st.integers(min_value=1, max_value=40), max_size=8))
async def test_cuts_of_the_network_make_no_difference(cuts: list[int]) -> None:
    body = 'event: a\r\ndata: {"text":"é\u2028日本"}\r\n\r\ndata: x\n\n'.encode()
    places = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    parts = [body[start:end] for start, end in pairwise(places)]
    assert await _read(*parts) == await _read(body)
