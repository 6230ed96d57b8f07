"""Counting each block once: the memory behind a meter whose turn costs only what is new."""

from collections.abc import Iterable
from functools import partial

from agent.protocol.blocks import Block
from agent.protocol.messages import Message
from agent.tokens.features import estimate_text
from agent.tokens.messages import CountText, count_block


class TokenCounter:
    """Counts blocks and remembers the counts, keyed by identity.

    Blocks are frozen, so a block's size never changes; they hold dictionaries, so they cannot be hashed. The memory keeps every block
    it knows alive, because the id of a dead object is given away again; `forget_others` lets go of what a rewritten history no
    longer holds. One counter belongs to one session.
    """

    def __init__(self, tokenizer: str = "v4.8", count_text: CountText | None = None) -> None:
        """`count_text` replaces the feature counter, for models whose real tokenizer is at hand."""
        self._count: CountText = count_text or partial(estimate_text, tokenizer=tokenizer)
        self._known: dict[int, tuple[Block, int]] = {}

    def text(self, text: str) -> int:
        """Tokens of a bare text; not remembered."""
        return self._count(text)

    def block(self, block: Block) -> int:
        """Tokens of a block with its overhead."""
        known = self._known.get(id(block))
        if known is not None:
            return known[1]
        size = count_block(block, self._count)
        self._known[id(block)] = (block, size)
        return size

    def message(self, message: Message) -> int:
        """Tokens of a message."""
        return sum(self.block(block) for block in message.blocks)

    def messages(self, messages: Iterable[Message]) -> int:
        """Tokens of many messages."""
        return sum(self.message(message) for message in messages)

    def forget_others(self, messages: Iterable[Message]) -> None:
        """Keeps only what is known of these messages' blocks."""
        alive = {id(block) for message in messages for block in message.blocks}
        self._known = {key: value for key, value in self._known.items() if key in alive}
