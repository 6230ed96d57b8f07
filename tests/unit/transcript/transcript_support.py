"""Builders for transcripts: numbered ids, a clock that ticks, foreign records, and an independent judge of requests."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from agent.protocol.blocks import Block, Text, ToolResult, ToolUse, block_to_json
from agent.protocol.messages import Message
from agent.transcript.ledger import Ledger
from agent.transcript.transcript import Transcript
from agent.transcript.view import model_view, screen_view


class Ticking:
    """A clock that moves one second with every look."""

    def __init__(self) -> None:
        self._at = datetime(2030, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        self._at += timedelta(seconds=1)
        return self._at

    def monotonic(self) -> float:
        return self._at.timestamp()


class Numbered:
    """Ids that can be read: prefix-1, prefix-2, ..."""

    def __init__(self, prefix: str = "id") -> None:
        self._prefix = prefix
        self._count = 0

    def new(self) -> str:
        self._count += 1
        return f"{self._prefix}-{self._count}"


def create(path: Path, prefix: str = "id") -> Transcript:
    """A new session at `path`."""
    return Transcript.create(
        path, session_id=path.stem, cwd=path.parent, version="test", clock=Ticking(), ids=Numbered(prefix)
    )


def reopen(path: Path, prefix: str = "later") -> Transcript:
    """The session at `path`, resumed."""
    return Transcript.open(path, cwd=path.parent, version="test", clock=Ticking(), ids=Numbered(prefix))


def fork(source: Path, path: Path, prefix: str = "forked") -> Transcript:
    """A copy of `source` as a session of its own."""
    return Transcript.fork(
        source,
        path,
        session_id=path.stem,
        cwd=path.parent,
        version="test",
        clock=Ticking(),
        ids=Numbered(prefix),
    )


def said(text: str) -> Message:
    """An answer of one text block."""
    return Message(role="assistant", blocks=(Text(text=text),))


def calls(*names: str) -> Message:
    """An answer with one call for each id."""
    return Message(role="assistant", blocks=tuple(ToolUse(id=name, name="Read", input={}) for name in names))


def results(*names: str) -> Message:
    """The results of these calls."""
    return Message(
        role="user", blocks=tuple(ToolResult(tool_use_id=name, content=f"result of {name}") for name in names)
    )


def wire(messages: tuple[Message, ...] | list[Message]) -> bytes:
    """The bytes that a request would carry for `messages`."""
    return b"\n".join(
        message.role.encode() + b":" + b",".join(map(block_to_json, message.blocks)) for message in messages
    )


def seen(transcript: Transcript) -> list[str]:
    """The texts of the model view; a call as its id, a result as ->id."""
    return texts(transcript.entries(), transcript.leaf)


def texts(ledger: Ledger, leaf: str | None) -> list[str]:
    """The texts of a model view; a call as its id, a result as ->id."""
    return ["+".join(_word(block) for block in entry.message.blocks) for entry in model_view(ledger, leaf)]


def shown(transcript: Transcript) -> list[str]:
    """The uuids of the screen view."""
    return [entry.uuid for entry in screen_view(transcript.entries(), transcript.leaf)]


def _word(block: Block) -> str:
    match block:
        case Text():
            return block.text
        case ToolUse():
            return block.id
        case ToolResult():
            return f"->{block.tool_use_id}"
        case _:
            return block.__class__.__name__


def record(kind: str, uuid: str, parent: str | None, **fields: object) -> dict[str, object]:
    """A record as Claude Code writes it."""
    common: dict[str, object] = {
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/project",
        "sessionId": "foreign",
        "version": "2.1.0",
        "gitBranch": "main",
        "type": kind,
        "uuid": uuid,
        "timestamp": "2030-01-01T00:00:00.000Z",
    }
    return common | fields


def user(uuid: str, parent: str | None, content: object = None, **fields: object) -> dict[str, object]:
    """A user record; its text is its uuid unless told otherwise."""
    return record(
        "user", uuid, parent, message={"role": "user", "content": uuid if content is None else content}, **fields
    )


def assistant(uuid: str, parent: str | None, *blocks: object, id: str = "", **fields: object) -> dict[str, object]:
    """An assistant record; its text is its uuid unless told otherwise."""
    message = {
        "id": id or f"msg_{uuid}",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": list(blocks) or [{"type": "text", "text": uuid}],
        "stop_reason": None,
        "usage": {
            "input_tokens": 10,
            "output_tokens": 5,
            "cache_read_input_tokens": 1,
            "cache_creation_input_tokens": 2,
        },
    }
    return record("assistant", uuid, parent, message=message, **fields)


def use(name: str) -> dict[str, object]:
    """A tool_use block."""
    return {"type": "tool_use", "id": name, "name": "Read", "input": {}}


def answer(name: str) -> dict[str, object]:
    """A tool_result block."""
    return {"type": "tool_result", "tool_use_id": name, "content": f"result of {name}"}


def boundary(uuid: str, logical: str | None, **metadata: object) -> dict[str, object]:
    """A compact_boundary record."""
    return record(
        "system",
        uuid,
        None,
        subtype="compact_boundary",
        logicalParentUuid=logical,
        content="Conversation compacted",
        level="info",
        compactMetadata={"trigger": "auto", "preTokens": 150_000} | metadata,
    )


def write(path: Path, *lines: dict[str, object] | bytes | str) -> Path:
    """A transcript file of these lines, each ended by a newline."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for line in lines:
            data = (
                msgspec.json.encode(line)
                if isinstance(line, dict)
                else line.encode()
                if isinstance(line, str)
                else line
            )
            file.write(data + b"\n")
    return path


def ledger_of(*lines: dict[str, object]) -> Ledger:
    """The ledger of these records, as if read from a file."""
    data = [msgspec.json.encode(line) + b"\n" for line in lines]
    return Ledger.load(data, _Memory(b"".join(data)))


class _Memory:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]
