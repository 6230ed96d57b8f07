"""What a picture is and how large, told from its first bytes."""

from collections.abc import Callable

import pytest

from agent.files.picture import picture_size, picture_type
from tests.support.pictures import gif, jpeg, png, webp_extended, webp_lossless, webp_lossy

KINDS = {
    png: "image/png",
    gif: "image/gif",
    jpeg: "image/jpeg",
    webp_extended: "image/webp",
    webp_lossy: "image/webp",
    webp_lossless: "image/webp",
}


@pytest.mark.parametrize("encode", KINDS)
def test_each_kind_tells_its_size(encode: Callable[[int, int], bytes]) -> None:
    data = encode(640, 481)
    assert (picture_type(data), picture_size(data)) == (KINDS[encode], (640, 481))


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7", b"GIF88a\x10\0\x10\0", b"RIFF0000WAVE", b"\x89PNG\n\n"])
def test_what_is_no_picture_has_no_size(data: bytes) -> None:
    assert (picture_type(data), picture_size(data)) == ("", None)


@pytest.mark.parametrize("encode", KINDS)
def test_a_header_that_is_cut_short_tells_nothing(encode: Callable[[int, int], bytes]) -> None:
    data = encode(640, 481)
    assert [picture_size(data[:size]) for size in (0, 3, 8)] == [None] * 3


def test_a_jpeg_marker_may_have_fill_bytes_before_it() -> None:
    data = jpeg(30, 20)
    assert picture_size(data[:2] + b"\xff" * 7 + data[2:]) == (30, 20)
