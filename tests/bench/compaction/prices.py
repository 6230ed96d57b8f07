"""What requests cost: the prompt cache as the API keeps it, at a model's prices."""

from collections.abc import Sequence

from msgspec import Struct

from agent.models.prices import cost
from agent.protocol.messages import Message, Usage
from agent.tokens.messages import estimate_message

MODEL = "claude-opus-5-5"
OVERHEAD = 3_000  # tokens of system prompt and tools, cached apart
LOOK_BACK = 20  # positions before a breakpoint that are tried
PREFILL, DECODE, START = 8_000, 80, 1.0  # tokens a second, tokens a second, seconds: how long a request takes


class Bill(Struct):
    """US dollars: what the context costs (reading, writing, summaries), and the model's own answers, the same for every policy.

    `waited` is how long a person waits for compactions, in seconds.
    """

    context: float = 0.0
    answers: float = 0.0
    waited: float = 0.0


class Sizes:
    """Tokens and digests of messages, each made once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Message, int, int]] = {}

    def of(self, message: Message) -> int:
        """Tokens of one message."""
        return self._look(message)[1]

    def digest(self, message: Message) -> int:
        """What tells it from others."""
        return self._look(message)[2]

    def _look(self, message: Message) -> tuple[Message, int, int]:
        known = self._known.get(id(message))
        if known is None:
            digest = hash((message.role, repr(message.blocks)))
            known = self._known[id(message)] = (message, estimate_message(message, "v4.8"), digest)
        return known

    def all(self, messages: Sequence[Message]) -> int:
        """Tokens of a request with `messages`."""
        return OVERHEAD + sum(self.of(message) for message in messages)


class Till:
    """Charges requests one after the other; breakpoints are on the tools and on the last message, as ours are."""

    def __init__(self, sizes: Sizes) -> None:
        self.bill = Bill()
        self._sizes = sizes
        self._entries: set[int] = set()
        self._begun = False

    def answer(self, messages: Sequence[Message], output: int) -> None:
        """A turn's request and its answer of `output` tokens."""
        self.bill.context += _dollars(self._use(messages))
        self.bill.answers += _dollars(Usage(output=output))

    def summary(self, messages: Sequence[Message], prompt: int, output: int) -> None:
        """A request for a summary: the conversation, then `prompt` tokens of instruction, which is not worth caching."""
        usage = self._use(messages) + Usage(input=prompt, output=output)
        self.bill.context += _dollars(usage)
        self.bill.waited += START + (usage.input + usage.cache_creation) / PREFILL + output / DECODE

    def _use(self, messages: Sequence[Message]) -> Usage:
        """Reads the longest prefix that ended at a breakpoint and is within reach, writes the rest."""
        marks, digest = [], 0
        for message in messages:
            digest = hash((digest, self._sizes.digest(message)))
            marks.append(digest)
        reach = range(len(marks) - 1, max(-1, len(marks) - 2 - LOOK_BACK), -1)
        hit = next((at for at in reach if marks[at] in self._entries), None)
        if marks:
            self._entries.add(marks[-1])
        overhead = Usage(cache_read=OVERHEAD) if self._begun else Usage(cache_creation=OVERHEAD)
        self._begun = True
        read = 0 if hit is None else sum(self._sizes.of(message) for message in messages[: hit + 1])
        rest = sum(self._sizes.of(message) for message in messages) - read
        return overhead + Usage(cache_read=read, cache_creation=rest)


def _dollars(usage: Usage) -> float:
    return cost(MODEL, usage) or 0.0
