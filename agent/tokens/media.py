"""What pictures and documents cost, told from their headers."""

import base64
import binascii
import math
import re
from collections.abc import Mapping

from agent.files.picture import picture_size

UNKNOWN_IMAGE = 1_600  # a picture of the largest size the API keeps
PDF_PAGE = 2_000  # text and picture of one page
_PIXELS_PER_TOKEN = 750
_LONG_EDGE = 1_568  # larger pictures are scaled down before they are counted
_PDF_BYTES_PER_PAGE = 50_000
_HEAD_CHARS = 88_000  # base64 of the first 64 KB: enough for any header, cheap to decode
_PDF_PAGES = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")


def image_tokens(source: Mapping[str, object]) -> int:
    """Tokens of a picture: width * height / 750 once scaled to 1,568 pixels, or 1,600 when its size cannot be told."""
    size = picture_size(_decoded(source, _HEAD_CHARS))
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
