"""One compaction while it is made: what it replaces, why, and what it must come to."""

from typing import TypeAlias

from msgspec import Struct

from agent.compact.keep_tail import Split
from agent.compact.room import Room
from agent.protocol.errors import PromptTooLong, RequestTooLarge
from agent.protocol.messages import Message
from agent.protocol.results import Trigger

Overflow: TypeAlias = PromptTooLong | RequestTooLarge


class Attempt(Struct, frozen=True, kw_only=True):
    """`before` in tokens, `started` in monotonic seconds; `instructions` of the person, the hooks and CLAUDE.md, in that order.

    `must_fit` says that the next request cannot be sent without this compaction; `overflow` is what the API said of the last one.
    """

    trigger: Trigger
    split: Split
    room: Room
    before: int
    started: float
    instructions: tuple[str, ...] = ()
    must_fit: bool = False
    overflow: Overflow | None = None

    @property
    def history(self) -> tuple[Message, ...]:
        """The messages that the summary will stand for."""
        return tuple(entry.message for entry in self.split.history)
