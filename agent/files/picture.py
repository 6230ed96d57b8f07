"""Pictures by their first bytes: which kinds, sizes and amounts the API takes."""

import base64
import struct

from agent.protocol.blocks import Image

PICTURE_BYTES = 3_750_000  # 5 MB as base64
PICTURE_SIDE = 8_000  # pixels; the API refuses larger pictures (and then every later request that holds one)

_TYPES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"\xff\xd8\xff": "image/jpeg",
}


def picture_type(head: bytes) -> str:
    """The media type of a file that begins with `head`; empty when it is no picture that the API takes (PNG, JPEG, GIF, WebP)."""
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _TYPES.items() if head.startswith(magic)), "")


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels, told from the header at the beginning of `data`; None when it is no picture, damaged or cut short."""
    try:
        size = _header_size(data)
    except struct.error:
        return None
    return size if size is not None and min(size) > 0 else None


def image_block(data: bytes, media_type: str) -> Image:
    """The block that shows `data` to a model."""
    return Image(source={"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode()})


def _header_size(data: bytes) -> tuple[int, int] | None:
    match picture_type(data):
        case "image/png":
            width, height = struct.unpack_from(">II", data, 16)
            return width, height
        case "image/gif":
            width, height = struct.unpack_from("<HH", data, 6)
            return width, height
        case "image/jpeg":
            return _jpeg_size(data)
        case "image/webp":
            return _webp_size(data)
        case _:
            return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """The first start-of-frame segment; segments before it (thumbnails, profiles) are stepped over."""
    at = 2
    while True:
        mark, kind, length = struct.unpack_from(">BBH", data, at)
        if mark != 0xFF:
            return None
        if kind == 0xFF:  # a marker may have any number of these before it
            at += 1
            continue
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
