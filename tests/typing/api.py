"""How a client uses the engine: nobody runs this, the type checker reads it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import assert_never, assert_type

from agent.api import Completion, Flags, Options, Session, Status, is_slash, meter_text, open_session
from agent.protocol.asks import Answer, Ask, Permission, Plan, Preview, Rewind, Trust
from agent.protocol.blocks import Block, Document, Image, Opaque, RedactedThinking, Text, Thinking, ToolResult, ToolUse
from agent.protocol.details import CommandOutput, Details, FileDiff, FileText, Matches, PlainText
from agent.protocol.events import Event
from agent.protocol.meter import Level, Reading
from agent.protocol.model import Delta, Model, Reply, Request, Retrying, TextPiece, ThinkingPiece, ToolPiece
from agent.protocol.results import RunResult
from tui.app.engine import Engine
from tui.headless.face import HeadlessFace
from tui.repl.face import ReplFace
from tui.view import Face, MakeSession, drive


async def a_session_is_opened_used_and_closed() -> None:
    session = await open_session(
        Options(cwd=Path("."), env={}, flags=Flags(model="opus"), version="1", interactive=False, max_budget=1.5)
    )
    assert_type(session, Session)
    await session.start()
    stream = session.run_slash("/context") if is_slash("/context") else session.prompt("hello")
    assert_type(stream, AsyncIterator[Event])
    result = await drive(stream, HeadlessFace(lambda _event: None), session.answer)
    assert_type(result, RunResult | None)
    reading = session.reading()
    assert_type(reading, Reading)
    assert_type(reading.level, Level)
    assert_type(reading.percent, float | None)
    assert_type(session.status(), Status)
    assert_type(session.complete("/c"), tuple[Completion, ...])
    assert_type(meter_text(reading, auto=True, compact_disabled=False), str)
    session.answer("id", Answer("session"))
    session.answer("id", Answer("always"))  # type: ignore[arg-type]  # there is no such choice
    await session.close()


def a_session_is_what_faces_drive(session: Session, repl: ReplFace) -> tuple[Engine, Face, Face]:
    return session, HeadlessFace(lambda _event: None), repl


def a_session_can_be_opened_by_what_cli_hands_over(make: MakeSession) -> MakeSession:
    async def wrapped() -> Session:
        return await make()

    return wrapped


def questions_are_a_closed_union(ask: Ask) -> str:
    match ask:
        case Permission():
            return ask.title
        case Trust():
            return ask.folder
        case Plan():
            return ask.text
        case Preview():
            return ask.summary
        case Rewind():
            return ask.prompt
        case _:
            assert_never(ask)


def blocks_are_a_closed_union(block: Block) -> str:
    match block:
        case Text():
            return block.text
        case Thinking():
            return block.thinking
        case RedactedThinking():
            return block.data
        case ToolUse():
            return block.name
        case ToolResult():
            return block.tool_use_id
        case Image() | Document():
            return str(block.source)
        case Opaque():
            return block.kind
        case _:
            assert_never(block)


def details_are_a_closed_union(details: Details) -> str:
    match details:
        case FileDiff() | FileText():
            return details.path
        case CommandOutput():
            return details.command
        case Matches():
            return details.pattern
        case PlainText():
            return details.text
        case _:
            assert_never(details)


async def a_model_streams_pieces_and_then_a_reply(model: Model, request: Request) -> Reply:
    async for piece in model.stream(request):
        assert_type(piece, Delta | Reply)
        match piece:
            case TextPiece() | ThinkingPiece() | ToolPiece() | Retrying():
                continue
            case Reply():
                return piece
            case _:
                assert_never(piece)
    raise AssertionError("a stream ends with a reply")
