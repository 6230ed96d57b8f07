"""What a compaction needs, and nothing else."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from agent.compact.conversation import Conversation
from agent.compact.tail_policy import TAIL, TailPolicy
from agent.context.frame import Frame
from agent.protocol.asks import Asker
from agent.protocol.clock import Clock
from agent.protocol.events import Emit
from agent.protocol.hooks import HookRunner
from agent.protocol.messages import Message
from agent.protocol.meter import Reading
from agent.protocol.model import Model
from agent.telemetry.log import Log

_PROBE = 10_000  # tokens

Provider: TypeAlias = Callable[[], Awaitable[tuple[Message, ...]]]
"""Re-injects one kind of state after a compaction: messages, or nothing."""


class CompactDeps(Struct, frozen=True, kw_only=True):
    """The services of one run.

    `instructions` is CLAUDE.md's compact section; `providers` run in their order, and `context_given` is called once what they gave
    stands in the conversation. `may_read` keeps files that permissions deny out of what is restored; `disabled` is the source that
    switched all compaction off; `permission_mode` is only told to the log. `tail` says how much recent history stands word for word.
    `asker` is who can be asked before a compaction is installed, None for nobody; `approve` says that automatic ones are asked about too.
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
    context_given: Callable[[], None] = lambda: None
    may_read: Callable[[Path], bool] = lambda _path: True
    disabled: str = ""
    permission_mode: str = ""
    tail: TailPolicy = TAIL
    asker: Asker | None = None
    approve: bool = False

    async def context(self) -> tuple[Message, ...]:
        """What the providers give back, as it is now."""
        return tuple([message for provider in self.providers for message in await provider()])

    def size(self, messages: Sequence[Message]) -> int:
        """The estimated size of a request with `messages`, in tokens, as the meter will show it."""
        return self.conversation.meter.estimate(messages, self.frame.overhead)

    def metered(self, tokens: int) -> int:
        """What the meter makes of `tokens` of prose by plain estimate: the API may count more or fewer."""
        return self.conversation.meter.estimate((), tokens)

    def plain(self, tokens: int) -> int:
        """How many tokens of prose by plain estimate the meter takes for `tokens`."""
        return tokens * _PROBE // max(1, self.metered(_PROBE))

    def reading(self) -> Reading:
        """How full the context is now."""
        return self.conversation.reading(self.frame)
