"""What pictures and documents cost, told from their headers."""

import base64
import binascii
import math
import re
import struct
from collections.abc import Mapping

UNKNOWN_IMAGE = 1_600  # a picture of the largest size the API keeps
PDF_PAGE = 2_000  # text and picture of one page
_PIXELS_PER_TOKEN = 750
_LONG_EDGE = 1_568  # larger pictures are scaled down before they are counted
_PDF_BYTES_PER_PAGE = 50_000
_HEAD_CHARS = 88_000  # base64 of the first 64 KB: enough for any header, cheap to decode
_PDF_PAGES = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")


def image_tokens(source: Mapping[str, object]) -> int:
    """Tokens of a picture: width * height / 750 once scaled to 1,568 pixels, or 1,600 when its size cannot be told."""
    size = _image_size(_decoded(source, _HEAD_CHARS))
    if size is None:
        return UNKNOWN_IMAGE
    width, height = size
    scale = min(1.0, _LONG_EDGE / max(width, height))
    return min(UNKNOWN_IMAGE, max(1, math.ceil(width * scale * height * scale / _PIXELS_PER_TOKEN)))


def pdf_tokens(source: Mapping[str, object]) -> int:
    """Tokens of a PDF: 2,000 a page; the pages are counted in the file, or told from its size when they are packed."""
    data = _decoded(source, None)
    pages = len(_PDF_PAGES.findall(data)) or math.ceil(len(data) / _PDF_BYTES_PER_PAGE)
    return PDF_PAGE * max(1, pages)


def _decoded(source: Mapping[str, object], limit: int | None) -> bytes:
    text = source.get("data")
    if not isinstance(text, str):
        return b""
    head = text if limit is None else text[:limit]
    try:
        return base64.b64decode(head[: len(head) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _image_size(data: bytes) -> tuple[int, int] | None:
    try:
        size = _header_size(data)
    except struct.error:
        return None
    return size if size is not None and min(size) > 0 else None


def _header_size(data: bytes) -> tuple[int, int] | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        width, height = struct.unpack_from(">II", data, 16)
        return width, height
    if data.startswith((b"GIF87a", b"GIF89a")):
        width, height = struct.unpack_from("<HH", data, 6)
        return width, height
    if data.startswith(b"\xff\xd8"):
        return _jpeg_size(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _webp_size(data)
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """The first start-of-frame segment; segments before it (thumbnails, profiles) are stepped over."""
    at = 2
    while True:
        mark, kind, length = struct.unpack_from(">BBH", data, at)
        if mark != 0xFF:
            return None
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        at += 2 + length


def _webp_size(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        low_w, high_w, low_h, high_h = struct.unpack_from("<HBHB", data, 24)
        return 1 + low_w + (high_w << 16), 1 + low_h + (high_h << 16)
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return None
