"""Pictures by their first bytes: what the API can show a model."""

import base64
import struct

from msgspec import Struct

from agent.protocol.blocks import Image

MAX_SIDE = 8_000  # pixels; the API refuses larger pictures (and then every later request that holds one)


class Picture(Struct, frozen=True):
    """A picture's media type and size in pixels; zeros when the size cannot be told."""

    media_type: str
    width: int
    height: int


def sniff_picture(data: bytes) -> Picture | None:
    """What picture `data` (a whole file) is; None when it is none that the API takes (PNG, JPEG, GIF, WebP)."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            return Picture("image/png", *struct.unpack(">II", data[16:24]))
        if data.startswith((b"GIF87a", b"GIF89a")):
            return Picture("image/gif", *struct.unpack("<HH", data[6:10]))
        if data.startswith(b"\xff\xd8\xff"):
            return Picture("image/jpeg", *_jpeg_size(data))
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return Picture("image/webp", *_webp_size(data))
    except (struct.error, IndexError):
        return None  # cut short
    return None


def image_block(data: bytes, media_type: str) -> Image:
    """The block that shows `data` to a model."""
    return Image(
        source={"type": "base64", "media_type": media_type, "data": base64.standard_b64encode(data).decode("ascii")}
    )


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while at < len(data):
        marker, length = data[at + 1], struct.unpack(">H", data[at + 2 : at + 4])[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):  # a start of frame
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return 0, 0


def _webp_size(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", data[26:30])
    return width & 0x3FFF, height & 0x3FFF
