"""Careful access to JSON that a server sent: a missing or odd field reads as empty, never as an exception."""

import json

import msgspec

from agent.protocol.text import scrub_json

JsonObject = dict[str, object]
MOST_TOKENS = 1_000_000_000  # a server that counts more does not count tokens; arithmetic has an end too


def decode_object(data: bytes) -> JsonObject | None:
    """The JSON object in `data`, its strings free of lone surrogates; None when it is not one."""
    try:
        value: object = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        value = _decode_leniently(data)
    return value if isinstance(value, dict) else None


def _decode_leniently(data: bytes) -> object:
    # msgspec refuses lone surrogates, which models do emit; the standard reader takes them.
    try:
        return json.loads(scrub_json(data))
    except (ValueError, RecursionError):
        return None


def text_in(holder: JsonObject, key: str) -> str:
    """The string under `key`, or the empty string."""
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def object_in(holder: JsonObject, key: str) -> JsonObject:
    """The object under `key`, or an empty one."""
    value = holder.get(key)
    return value if isinstance(value, dict) else {}


def count_in(holder: JsonObject, key: str) -> int | None:
    """The number of tokens (or the index) under `key`: a whole one from 0 to MOST_TOKENS, or None."""
    value = holder.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None
