"""The whole look back at one session."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from agent.models.table import lookup
from agent.session.audit.compactions import Loss, losses
from agent.session.audit.sources import tokens_by_source
from agent.session.audit.spending import Spent, spent
from agent.transcript.catalog import describe, is_prompt
from agent.transcript.entries import Entry, MessageEntry
from agent.transcript.ledger import load, notices_of
from agent.transcript.view import model_view, screen_view


class Share(Struct, frozen=True):
    """A stretch of conversation: how many messages, and their estimated tokens by source, the largest first."""

    messages: int
    tokens: dict[str, int]

    @property
    def total(self) -> int:
        """All its tokens."""
        return sum(self.tokens.values())


class Audit(Struct, frozen=True, kw_only=True):
    """One session: `now` is what the model would see next, `ever` all that was said on the way there.

    `reported` is what the API counted for the last answer, system prompt and tools included; None when nothing is on record.
    `undone` counts compactions that are not on the way. Timestamps are those of the records (ISO 8601), empty when they have none.
    """

    session: str
    path: str
    title: str
    cwd: str
    first: str
    last: str
    prompts: int
    answers: int
    now: Share
    ever: Share
    reported: int | None
    compactions: tuple[Loss, ...]
    undone: int
    spent: Spent
    subagents: Spent
    notices: tuple[str, ...]

    @property
    def bill(self) -> Spent:
        """The session's and its subagents' together."""
        return self.spent + self.subagents


def audit(path: Path, billed: set[str] | None = None) -> Audit:
    """Reads the transcript at `path` (ours or Claude Code's; it is not changed); raises SessionNotFound or TranscriptError.

    `billed` is for several sessions: see `spent`.
    """
    ledger = load(path)
    leaf = ledger.chain.leaf_uuid
    entries, seen = screen_view(ledger, leaf), model_view(ledger, leaf)
    own, beside = spent(path, billed)
    tokenizer = lookup(own.models[-1]).tokenizer if own.models else "v4.8"
    found, info = losses(ledger, entries, tokenizer), describe(path)
    moments = [entry.timestamp for entry in entries if isinstance(entry, MessageEntry) and entry.timestamp]
    return Audit(
        session=path.stem,
        path=str(path),
        title=(info.title if info else "") or _first_prompt(entries),
        cwd=info.cwd if info else "",
        first=min(moments, default=""),
        last=max(moments, default=""),
        prompts=sum(map(is_prompt, entries)),
        answers=sum(isinstance(entry, MessageEntry) and entry.message.role == "assistant" for entry in entries),
        now=_share(seen, tokenizer),
        ever=_share(entries, tokenizer),
        reported=next((entry.usage.context for entry in reversed(seen) if entry.usage is not None), None),
        compactions=found,
        undone=sum(not node.sidechain for at, node in enumerate(ledger.chain.nodes) if at in ledger.chain.cuts)
        - len(found),
        spent=own,
        subagents=beside,
        notices=notices_of(ledger),
    )


def _first_prompt(entries: Sequence[Entry]) -> str:
    prompts = (entry.message.text for entry in entries if isinstance(entry, MessageEntry) and is_prompt(entry))
    return next(prompts, "").strip()


def _share(entries: Sequence[Entry], tokenizer: str) -> Share:
    said = sum(isinstance(entry, MessageEntry) for entry in entries)
    return Share(said, dict(tokens_by_source(entries, tokenizer).most_common()))
