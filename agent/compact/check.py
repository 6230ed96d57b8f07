"""Holds what a compaction is about to install against the ledger of the whole conversation."""

import asyncio
from collections.abc import Sequence

from agent.compact.deps import CompactDeps
from agent.compact.ledger.collect import FactLedger, collect_facts
from agent.compact.user_words import ledger_budget
from agent.compact.verify import Verified, verify
from agent.protocol.messages import Message
from agent.tokens.features import estimate_text
from agent.transcript.entries import MessageEntry
from agent.transcript.view import screen_view


async def check(
    deps: CompactDeps,
    standing: Sequence[Message],
    kept: Sequence[MessageEntry],
    *,
    ceiling: int,
    words: str,
    spare: int,
) -> Verified:
    """The check of `standing` (the summary with the person's `words`, and the kept messages); its repair has what `words` leave of the budget.

    `spare` tokens may be added before the compaction gains nothing: only what mends the summary goes beyond.
    """
    tokenizer = deps.frame.tokenizer
    budget = ledger_budget(ceiling) - estimate_text(words, tokenizer)
    ledger = await ledger_of(deps, kept)
    text = "\n".join(message.text for message in standing)
    return await asyncio.to_thread(verify, ledger, text, budget=budget, tokenizer=tokenizer, spare=spare)


async def ledger_of(deps: CompactDeps, kept: Sequence[MessageEntry] = ()) -> FactLedger:
    """The facts of the whole conversation, from its very beginning."""
    transcript, state = deps.conversation.transcript, deps.conversation.read_state
    entries = screen_view(transcript.entries(), transcript.leaf)
    hashes = {str(path): stamp.sha256 for path, stamp in state.snapshot().items()}
    uuids = {entry.uuid for entry in kept}
    return await asyncio.to_thread(collect_facts, entries, kept=uuids, hashes=hashes)
