"""The names that the model works with, told beside the summary as far as nothing else there tells them."""

import asyncio
from collections.abc import Iterator, Sequence

from agent.compact.deps import CompactDeps
from agent.compact.ledger.names import names_in_use, unsaid
from agent.compact.prompt import words
from agent.compact.shown import shown
from agent.prompts.reminder import reminder_message
from agent.protocol.messages import Message
from agent.tokens.features import estimate_text
from agent.transcript.entries import Entry, MessageEntry
from agent.transcript.view import screen_view

COMMA = 1  # tokens between two names
LEAST = 100  # tokens of names that are worth a message


async def in_use(
    deps: CompactDeps, beside: Sequence[str], kept: Sequence[MessageEntry], budget: int
) -> tuple[Message, ...]:
    """One message of at most `budget` tokens with names that stand neither in the texts `beside` it nor in what is `kept`; or none."""
    if budget < LEAST:
        return ()
    transcript = deps.conversation.transcript
    entries = screen_view(transcript.entries(), transcript.leaf)
    found = await asyncio.to_thread(_told, entries, (*beside, shown(kept)), budget, deps.frame.tokenizer)
    return (reminder_message(f"{words('names')}\n{', '.join(found)}"),) if found else ()


def _told(entries: Sequence[Entry], shown: Sequence[str], budget: int, tokenizer: str) -> list[str]:
    left = budget - estimate_text(words("names"), tokenizer)
    return list(_within(unsaid(names_in_use(entries), "\n".join(shown)), left, tokenizer))


def _within(names: Iterator[str], left: int, tokenizer: str) -> Iterator[str]:
    for name in names:
        left -= estimate_text(name, tokenizer) + COMMA
        if left < 0:
            return
        yield name
