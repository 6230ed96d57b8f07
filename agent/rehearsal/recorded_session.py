"""A recorded session as a script: the assistant's messages of a transcript, one reply each."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from agent.rehearsal.given_file import read_given
from agent.rehearsal.wire import Json, as_blocks, as_object, as_text, kind


class NothingRecorded(Exception):
    """The file holds no answer of a model."""


def script_of(path: Path) -> str:
    """A TOML script of a transcript in JSON Lines. Raises `OSError`, or NothingRecorded; lines that are not JSON are passed over.

    Records of one message (one block each) are joined; thinking loses its signature, the server signs it anew.
    """
    replies = [blocks for blocks in _messages(path) if blocks]
    if not replies:
        raise NothingRecorded(f"{path} holds no answer of a model")
    head = f"about = {toml_value(f'The assistant of {path.name}, {len(replies)} replies.')}\n"
    return head + "".join(f"\n[[reply]]\nblocks = [\n{_lines(blocks)}]\n" for blocks in replies)


def _messages(path: Path) -> Iterator[list[Json]]:
    joined: list[Json] = []
    before = ""
    for line in read_given(path).split(b"\n"):
        record = _record(line)
        if record.get("type") != "assistant" or record.get("isSidechain") is True:
            continue
        message = as_object(record.get("message"))
        name = as_text(message.get("id"))
        if joined and (not name or name != before):
            yield joined
            joined = []
        joined = [*joined, *filter(None, map(_block, as_blocks(message.get("content"))))]
        before = name
    if joined:
        yield joined


def _record(line: bytes) -> Json:
    try:
        return as_object(msgspec.json.decode(line.decode("utf-8", "replace")))
    except (msgspec.DecodeError, RecursionError):
        return {}


def _block(block: Json) -> Json:
    match kind(block):
        case "text" if as_text(block.get("text")).strip():
            return {"type": "text", "text": block["text"]}
        case "thinking":
            return {"type": "thinking", "thinking": as_text(block.get("thinking"))}
        case "redacted_thinking":
            return {"type": "redacted_thinking"}
        case "tool_use":
            return {"type": "tool_use", "name": as_text(block.get("name")), "input": as_object(block.get("input"))}
        case _:
            return {}


def _lines(blocks: list[Json]) -> str:
    return "".join(f"  {toml_value(block)},\n" for block in blocks)


def toml_value(value: object) -> str:
    """A value in TOML, on one line; it has no null, so that keys without a value are left out."""
    match value:
        case bool() | int() | float():
            return json.dumps(value)
        case str():
            return json.dumps(value.encode("utf-8", "replace").decode(), ensure_ascii=False).replace("\x7f", "\\u007f")
        case list():
            return "[" + ", ".join(toml_value(part) for part in value if part is not None) + "]"
        case dict():
            pairs = (f"{toml_value(str(key))} = {toml_value(part)}" for key, part in value.items() if part is not None)
            return "{ " + ", ".join(pairs) + " }"
        case _:
            return '""'
