"""What the tests of the wire share: a clock that only sleeping moves, requests and their answers."""

from collections.abc import Callable
from datetime import UTC, datetime

from agent.anthropic_api.client import AnthropicModel
from agent.anthropic_api.retry import RetryPolicy
from agent.protocol.messages import Message, user_message
from agent.protocol.model import Delta, Reply, Request, Retrying, TextPiece, ThinkingAdaptive, ToolSpec

ONCE = RetryPolicy(max_attempts=1)
KEY = "sk-ant-test-0123456789"


class HandClock:
    """Time that only sleeping moves."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.pauses: list[float] = []

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.seconds += seconds


MakeModel = Callable[..., AnthropicModel]

READ = ToolSpec("Read", "Reads a file.", {"type": "object", "properties": {"file_path": {"type": "string"}}})
WRITE = ToolSpec("Write", "Writes a file.", {"type": "object"})


def request(*messages: Message, **changes: object) -> Request:
    """A request as a turn would send it."""
    fields: dict[str, object] = {
        "model": "claude-sonnet-5-5",
        "system": ("You are a test.",),
        "tools": (READ, WRITE),
        "messages": messages or (user_message("hi"),),
        "max_tokens": 2000,
        "thinking": ThinkingAdaptive(),
        **changes,
    }
    return Request(**fields)  # type: ignore[arg-type]  # the tests hand in what Request takes


async def collect(model: AnthropicModel, sent: Request) -> tuple[list[Delta], Reply]:
    """All deltas, and the one reply that ends the stream."""
    pieces = [piece async for piece in model.stream(sent)]
    replies = [piece for piece in pieces if isinstance(piece, Reply)]
    assert len(replies) == 1
    assert pieces[-1] is replies[0]
    return [piece for piece in pieces if not isinstance(piece, Reply)], replies[0]


def shown(deltas: list[Delta]) -> str:
    """The text a person sees in the end: what a Retrying voided is gone."""
    seen = ""
    for delta in deltas:
        match delta:
            case Retrying():
                seen = ""
            case TextPiece(text=piece):
                seen += piece
            case _:
                pass
    return seen
