"""What a compaction needs, and nothing else."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from agent.compact.conversation import Conversation
from agent.context.frame import Frame
from agent.protocol.clock import Clock
from agent.protocol.events import Emit
from agent.protocol.hooks import HookRunner
from agent.protocol.messages import Message
from agent.protocol.meter import Reading
from agent.protocol.model import Model
from agent.telemetry.log import Log

Provider: TypeAlias = Callable[[], Awaitable[tuple[Message, ...]]]
"""Re-injects one kind of state after a compaction: messages, or nothing."""


class CompactDeps(Struct, frozen=True, kw_only=True):
    """The services of one run; `instructions` is CLAUDE.md's compact section; `providers` run in their order.

    `may_read` keeps files that permissions deny out of what is restored; `disabled` is the source that switched all compaction off.
    """

    conversation: Conversation
    frame: Frame
    model: Model
    hooks: HookRunner
    emit: Emit
    clock: Clock
    log: Log
    instructions: str = ""
    providers: tuple[Provider, ...] = ()
    may_read: Callable[[Path], bool] = lambda _path: True
    disabled: str = ""

    def size(self, messages: Sequence[Message]) -> int:
        """The estimated size of a request with `messages`, in tokens."""
        counter = self.conversation.meter.counter
        return self.frame.overhead + sum(counter.block(block) for message in messages for block in message.blocks)

    def reading(self) -> Reading:
        """How full the context is now."""
        return self.conversation.reading(self.frame)
