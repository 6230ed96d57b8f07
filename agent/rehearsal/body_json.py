"""A request body from bytes to JSON, refused as the API refuses what is not JSON."""

import json

import msgspec

from agent.rehearsal.refusal import Refusal
from agent.rehearsal.wire import Json


def decode(raw: bytes) -> Json:
    """The body as an object. Raises `Refusal`; a lone surrogate, which no UTF-8 can carry, has a rule of its own."""
    try:
        body = msgspec.json.decode(raw)
    except RecursionError as error:
        raise Refusal("body.json", "The request body is not valid JSON: nested too deeply") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if _has_surrogate(raw):
            raise Refusal("body.surrogate", "The request body is not valid JSON: no low surrogate in string") from error
        raise Refusal("body.json", f"The request body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise Refusal("body.json", "Input should be an object")
    return body


def _has_surrogate(raw: bytes) -> bool:
    """Whether the only fault is a surrogate: the standard reader takes it, and UTF-8 does not."""
    try:
        text = json.dumps(json.loads(raw), ensure_ascii=False)
    except (ValueError, RecursionError):
        return False
    return any("\ud800" <= letter <= "\udfff" for letter in text)
