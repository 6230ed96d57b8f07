"""The stream's events, exactly as the API sends them: names, shapes and order."""

from collections.abc import Iterator

import msgspec

from agent.rehearsal.refusal import error_object
from agent.rehearsal.wire import Json, as_int, as_object, as_text, kind


class Event(msgspec.Struct, frozen=True):
    """One event as bytes, and how many words of the answer's text it carries."""

    data: bytes
    words: int = 0


class Part(msgspec.Struct, frozen=True):
    """A finished content block, and the JSON text that its tool input is streamed as (cut short or not)."""

    block: Json
    input_json: str = ""


def event(name: str, content: Json, words: int = 0) -> Event:
    """One event; its `type` repeats its name."""
    return Event(b"event: %b\ndata: %b\n\n" % (name.encode(), msgspec.json.encode({"type": name, **content})), words)


PING = event("ping", {})


def error_event(error: str, message: str) -> Event:
    """The event that ends a stream which began well."""
    return event("error", {"error": error_object(error, message)})


def stream(message: Json, parts: list[Part], piece: int) -> Iterator[Event]:
    """A whole answer as events, its text in pieces of about `piece` characters.

    `message` is the finished message: its content, stop reason and final usage are held back until their time.
    """
    usage = as_object(message["usage"])
    begun = {**usage, "output_tokens": min(1, as_int(usage["output_tokens"]) or 0)}
    opening = {**message, "content": [], "stop_reason": None, "stop_sequence": None, "usage": begun}
    yield event("message_start", {"message": opening})
    for index, part in enumerate(parts):
        yield event("content_block_start", {"index": index, "content_block": _opened(part.block)})
        if index == 0:
            yield PING
        for delta, words in _deltas(part, piece):
            yield event("content_block_delta", {"index": index, "delta": delta}, words)
        yield event("content_block_stop", {"index": index})
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": message["stop_sequence"]}
    closing: Json = {"delta": delta, "usage": usage}
    if "context_management" in message:
        closing["context_management"] = message["context_management"]
    yield event("message_delta", closing)
    yield event("message_stop", {})


def _opened(block: Json) -> Json:
    match kind(block):
        case "text":
            return {**block, "text": ""}
        case "thinking":
            return {**block, "thinking": "", "signature": ""}
        case "tool_use":
            return {**block, "input": {}}
        case "compaction":
            return {**block, "content": None}
        case _:
            return block


def _deltas(part: Part, piece: int) -> Iterator[tuple[Json, int]]:
    match kind(part.block):
        case "text":
            for chunk in pieces(as_text(part.block["text"]), piece):
                yield {"type": "text_delta", "text": chunk}, len(chunk.split())
        case "thinking":
            for chunk in pieces(as_text(part.block["thinking"]), piece):
                yield {"type": "thinking_delta", "thinking": chunk}, 0
            yield {"type": "signature_delta", "signature": part.block["signature"]}, 0
        case "tool_use":
            for chunk in ("", *pieces(part.input_json, piece)):
                yield {"type": "input_json_delta", "partial_json": chunk}, 0
        case "compaction":
            yield {"type": "compaction_delta", "content": part.block["content"]}, 0
        case _:
            return


def pieces(text: str, size: int) -> Iterator[str]:
    """The text in pieces of `size` characters, each drawn out to the end of its word where that is near."""
    start = 0
    while start < len(text):
        end = min(start + size, len(text))
        blank = text.find(" ", end, end + size)
        end = blank + 1 if 0 < end < len(text) and blank >= 0 else end
        yield text[start:end]
        start = end
