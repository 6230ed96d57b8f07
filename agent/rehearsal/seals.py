"""Seals: opaque strings that the server hands out and later recognises, because only it can make them."""

import base64
import binascii
import hashlib
import hmac
from typing import TypeVar

import msgspec

KEY = b"rehearsal: seals must outlive the process, so that a saved session can be resumed"
MAC_SIZE = 32

T = TypeVar("T", bound=msgspec.Struct)


def seal(content: msgspec.Struct, text: str) -> str:
    """An opaque string that vouches for `content`, and for `text`, which it does not hold."""
    packed = msgspec.msgpack.encode(content)
    return base64.b64encode(_mac(packed, text) + packed).decode()


def unseal(opaque: str, text: str, type: type[T]) -> T | None:
    """What a seal vouches for; None when it was not made here, or not for this text."""
    try:
        raw = base64.b64decode(opaque, validate=True)
    except (binascii.Error, ValueError):
        return None
    mac, packed = raw[:MAC_SIZE], raw[MAC_SIZE:]
    if not hmac.compare_digest(mac, _mac(packed, text)):
        return None
    try:
        return msgspec.msgpack.decode(packed, type=type)
    except msgspec.DecodeError:
        return None


def _mac(packed: bytes, text: str) -> bytes:
    return hmac.digest(KEY, packed + b"\0" + text.encode("utf-8", "surrogatepass"), hashlib.sha256)
