"""The ways to make room that are compared: each holds a conversation, and shrinks it when it is told that the threshold is reached."""

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from agent.compact.keep_tail import is_request
from agent.compact.prompt import compact_prompt
from agent.protocol.blocks import ToolResult
from agent.protocol.messages import Message, user_message
from agent.tokens.features import estimate_text
from agent.transcript.entries import MessageEntry
from agent.transcript.rounds import group_rounds
from tests.bench.compaction.prices import Sizes, Till
from tests.bench.compaction.summariser import Summariser

MASK = "[Old tool result content cleared]"
UNMASKED = 10  # results that masking leaves
USER_WORDS = 20_000  # tokens of the user's messages, newest first (Codex)
TRUNCATED = 0.5  # of the threshold that head truncation leaves
TAIL_SHARE = 0.3  # of the threshold
RELIEF = 0.75  # of the threshold that batched masking must come under, else the head goes too

PROMPT = estimate_text(compact_prompt(), "v4.8")


class Policy(Protocol):
    """One way to make room, over one session."""

    def add(self, message: Message, *, failed: bool = False) -> None:
        """The conversation goes on."""
        ...

    def messages(self) -> Sequence[Message]:
        """What the next request carries."""
        ...

    async def shrink(self, threshold: int, *, mid_turn: bool) -> None:
        """Makes room, and pays for it."""
        ...

    def recall(self, key: str) -> bool:
        """Whether `key` can be had back word for word in two calls, by a handle of this policy's own."""
        ...


class Tools(Struct, frozen=True):
    """What policies work with."""

    summariser: Summariser
    till: Till
    sizes: Sizes


class Baseline:
    """A policy over plain messages; `shrinks` gives the new ones."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.said: list[Message] = []

    def add(self, message: Message, *, failed: bool = False) -> None:
        """See Policy."""
        self.said.append(message)

    def messages(self) -> Sequence[Message]:
        """See Policy."""
        return self.said

    def recall(self, key: str) -> bool:
        """None of these has handles."""
        return False

    def tail(self, budget: int) -> list[Message]:
        """The latest whole rounds within `budget` tokens."""
        kept: list[Message] = []
        for part in reversed(group_rounds(self.said)[1:]):
            messages = self.said[part.start : part.stop]
            budget -= sum(self.tools.sizes.of(message) for message in messages)
            if budget < 0:
                break
            kept[:0] = messages
        return kept

    def summarised(self) -> Message:
        """A summary of all that is there, paid for."""
        text = self.tools.summariser.summary(self.said)
        self.tools.till.summary(self.said, PROMPT, estimate_text(text, "v4.8"))
        return user_message(f"This session goes on from an earlier conversation. Its summary:\n\n{text}")

    def open_request(self, *, mid_turn: bool) -> list[Message]:
        """The request that is being worked on, or has just been made."""
        requests = [message for message in self.said if _typed(message)]
        return requests[-1:] if mid_turn or (self.said and self.said[-1] is requests[-1]) else []


class HeadTruncation(Baseline):
    """Drops the oldest rounds."""

    async def shrink(self, threshold: int, *, mid_turn: bool) -> None:
        """See Policy."""
        self.said = [user_message("[Earlier messages were left out.]"), *self.tail(round(TRUNCATED * threshold))]


class RollingMask(Baseline):
    """Shows only the newest results, every turn; the head goes when that is not enough."""

    def messages(self) -> Sequence[Message]:
        """See Policy."""
        self.said = masked(self.said)
        return self.said

    async def shrink(self, threshold: int, *, mid_turn: bool) -> None:
        """See Policy."""
        self.said = [user_message("[Earlier messages were left out.]"), *self.tail(round(TRUNCATED * threshold))]


class BatchedMask(Baseline):
    """Clears all old results at once when the threshold is reached; the head goes when that is not enough."""

    async def shrink(self, threshold: int, *, mid_turn: bool) -> None:
        """See Policy."""
        self.said = masked(self.said)
        if self.tools.sizes.all(self.said) > RELIEF * threshold:
            self.said = [user_message("[Earlier messages were left out.]"), *self.tail(round(TRUNCATED * threshold))]


class NotesAlone(Baseline):
    """The design notes' compaction: a summary in place of everything (and files that the bench cannot restore)."""

    async def shrink(self, threshold: int, *, mid_turn: bool) -> None:
        """See Policy."""
        self.said = [self.summarised(), *self.open_request(mid_turn=mid_turn)]


class UserWords(Baseline):
    """The user's messages within their budget, then the summary."""

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._typed: list[Message] = []

    def add(self, message: Message, *, failed: bool = False) -> None:
        """See Policy."""
        super().add(message)
        self._typed += [message] if _typed(message) else []

    async def shrink(self, threshold: int, *, mid_turn: bool) -> None:
        """See Policy."""
        left, kept = USER_WORDS, []
        for message in reversed(self._typed):
            left -= self.tools.sizes.of(message)
            if left < 0:
                break
            kept.append(message)
        self.said = [*reversed(kept), self.summarised()]


class TailShare(Baseline):
    """A summary and a fixed share of the window as the tail."""

    async def shrink(self, threshold: int, *, mid_turn: bool) -> None:
        """See Policy."""
        kept = self.tail(round(TAIL_SHARE * threshold))
        request = [one for one in self.open_request(mid_turn=mid_turn) if one not in kept]
        self.said = [self.summarised(), *request, *kept]


def masked(messages: Sequence[Message]) -> list[Message]:
    """`messages` with all but the newest results cleared."""
    places = [at for at, message in enumerate(messages) if message.tool_results]
    old = set(places[:-UNMASKED])
    return [_cleared(message) if at in old else message for at, message in enumerate(messages)]


def _cleared(message: Message) -> Message:
    if all(block.content == MASK for block in message.tool_results):
        return message
    blocks = tuple(
        ToolResult(tool_use_id=block.tool_use_id, content=MASK) if isinstance(block, ToolResult) else block
        for block in message.blocks
    )
    return Message(role=message.role, blocks=blocks)


def _typed(message: Message) -> bool:
    return is_request(MessageEntry(uuid="", parent_uuid=None, message=message)) and "Its summary:" not in message.text


BASELINES: dict[str, tuple[Callable[[Tools], Policy], bool]] = {
    "head truncation": (HeadTruncation, False),
    "rolling mask": (RollingMask, False),
    "batched mask": (BatchedMask, False),
    "the notes alone": (NotesAlone, True),
    "user words + summary": (UserWords, True),
    "summary + tail 30 %": (TailShare, True),
}
"""By name: how it is made, and whether it needs a summary (and so is run with each dial)."""
