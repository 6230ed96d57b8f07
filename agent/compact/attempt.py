"""One compaction while it is made: what it replaces, why, and what it must come to."""

from typing import TypeAlias

from msgspec import Struct, field

from agent.compact.bill import Bill
from agent.compact.keep_tail import Split
from agent.compact.partial_compact import name_of, opener
from agent.compact.prompt import words
from agent.compact.review import Review
from agent.compact.room import Room
from agent.protocol.errors import PromptTooLong, RequestTooLarge
from agent.protocol.messages import Message
from agent.protocol.results import Trigger
from agent.tokens.messages import estimate_message

Overflow: TypeAlias = PromptTooLong | RequestTooLarge


class Attempt(Struct, frozen=True, kw_only=True):
    """`before` in tokens, `started` in monotonic seconds; `instructions` of the person, the hooks and CLAUDE.md, in that order.

    `weight` is what the result must be smaller than, in estimated tokens. `scale` is the count in parts of the estimate, where the API
    has counted less: what is told of the result is so much. `small`: of so short a history that its summary says it as briefly as it can.

    `must_fit` says that the next request cannot be sent without this compaction; `overflow` is what the API said of the last one.
    `review` puts it before the person first. `is_part`: only one side of a message is summarised. `bill` grows as it is made.
    """

    trigger: Trigger
    split: Split
    room: Room
    before: int
    weight: int
    scale: float = 1.0
    started: float
    instructions: tuple[str, ...] = ()
    must_fit: bool = False
    overflow: Overflow | None = None
    review: Review | None = None
    is_part: bool = False
    small: bool = False
    bill: Bill = field(default_factory=Bill)

    @property
    def may_grow(self) -> bool:
        """Whether it is installed whatever stands around the summary, in tokens.

        A person wants it, and /compact works from the first exchange; or the API has refused the bytes of a request, not its tokens.
        """
        return self.small and (self.trigger == "manual" or isinstance(self.overflow, RequestTooLarge))

    def told(self, tokens: int) -> int:
        """What is said of an estimate of `tokens` beside a count of `before`."""
        return round(self.scale * tokens)

    def replaced(self, tokenizer: str) -> int:
        """Estimated tokens of the messages that the summary will stand for: the history without what is kept."""
        kept = {entry.uuid for entry in self.split.kept}
        return sum(estimate_message(entry.message, tokenizer) for entry in self.split.history if entry.uuid not in kept)

    @property
    def history(self) -> tuple[Message, ...]:
        """The messages that the summary is made of."""
        return tuple(entry.message for entry in self.split.history)

    @property
    def live(self) -> tuple[Message, ...]:
        """What the request for the summary carries when it goes out over the cached prefix of the conversation."""
        before = self.split.kept if self.split.kept_first else ()
        return (*(entry.message for entry in before), *self.history)

    @property
    def scope(self) -> str:
        """What the summariser is told of the part it is to summarise; empty for a whole conversation."""
        if not self.is_part:
            return ""
        if not self.split.kept_first:
            return words("part_up_to")
        return words("part_from").format(begins=name_of(opener(self.split.history).message))
