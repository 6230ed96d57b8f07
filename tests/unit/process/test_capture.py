"""Capture: whatever the pieces, head and tail are the true ones."""

from hypothesis import given
from hypothesis import strategies as st

from agent.process.capture import Capture


@given(st.lists(st.binary(max_size=40), max_size=40), st.integers(2, 60))
def test_keeps_all_or_head_and_tail(pieces: list[bytes], limit: int) -> None:
    capture = Capture(limit)
    ascii_pieces = [bytes(97 + byte % 26 for byte in piece) for piece in pieces]
    for piece in ascii_pieces:
        capture.feed(piece)
    whole = b"".join(ascii_pieces).decode()
    assert capture.size == len(whole)
    if len(whole) <= limit:
        assert capture.text() == whole
    else:
        head, middle, tail = capture.text().partition(f"\n[... {len(whole) - limit // 2 * 2:,} bytes left out ...]\n")
        assert middle and head == whole[: limit // 2] and tail == whole[-(limit // 2) :]


def test_a_cut_character_is_left_out() -> None:
    capture = Capture(10)
    capture.feed("日本語日本語".encode())
    assert capture.text().startswith("日\n[") and capture.text().endswith("]\n語")
