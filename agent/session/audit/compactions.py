"""Each compaction of a session held against what came before it: what the person had said, and what was read again after it."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec import Struct

from agent.compact.ledger.record import Done, calls_done
from agent.compact.ledger.shell_effects import effects
from agent.protocol.results import Trigger
from agent.session.audit.said import Sentence, Summary, said_in
from agent.tokens.features import estimate_text
from agent.transcript.catalog import is_prompt
from agent.transcript.entries import AttachmentEntry, CompactBoundary, Entry, MessageEntry
from agent.transcript.ledger import Ledger

_ORDER = ("correction", "rule", "words")


class Reread(Struct, frozen=True):
    """A file that the model had read before a compaction and read again after it, until the next one; estimated tokens."""

    path: str
    times: int
    tokens: int


class Loss(Struct, frozen=True, kw_only=True):
    """One compaction. Tokens before and after as its record tells them, 0 for unknown; `summary` estimated; milliseconds; US dollars.

    `said` counts the person's sentences that still stood before it: `verbatim` and `paraphrased` ones stand after it, `gone` do not,
    corrections and rules first.
    """

    uuid: str
    timestamp: str
    trigger: Trigger
    pre_tokens: int
    post_tokens: int
    duration_ms: int
    messages: int
    summary: int
    cost: float | None
    said: int
    verbatim: int
    paraphrased: int
    gone: tuple[Sentence, ...]
    reread: tuple[Reread, ...]

    @property
    def reread_tokens(self) -> int:
        """Estimated tokens of all that was read again."""
        return sum(one.tokens for one in self.reread)


def losses(ledger: Ledger, entries: Sequence[Entry], tokenizer: str) -> tuple[Loss, ...]:
    """Every compaction on the screen view `entries` of `ledger`, in order.

    A sentence is lost by the compaction after which it no longer stands; what an earlier one lost is not counted again.
    """
    places = [at for at, entry in enumerate(entries) if isinstance(entry, CompactBoundary)]
    standing: list[Sentence] = []
    found: list[Loss] = []
    for start, place, end in zip([-1, *places], places, [*places[1:], len(entries)], strict=False):
        boundary, after = entries[place], entries[place + 1 : end]
        if not isinstance(boundary, CompactBoundary):
            continue
        opening = list(_opening(ledger, boundary, after))
        standing, verbatim, gone = _told([*standing, *said_in(entries[start + 1 : place])], opening)
        found.append(
            Loss(
                uuid=boundary.uuid,
                timestamp=boundary.timestamp,
                trigger=boundary.trigger,
                pre_tokens=boundary.pre_tokens,
                post_tokens=boundary.post_tokens,
                duration_ms=boundary.duration_ms,
                messages=sum(isinstance(entry, MessageEntry) for entry in entries[start + 1 : place]),
                summary=sum(estimate_text(_text(entry), tokenizer) for entry in opening if _is_summary(entry)),
                cost=boundary.cost,
                said=len(standing) + len(gone),
                verbatim=verbatim,
                paraphrased=len(standing) - verbatim,
                gone=gone,
                reread=tuple(_reread(entries[:place], after, tokenizer)),
            )
        )
    return tuple(found)


def _told(said: Sequence[Sentence], opening: Sequence[Entry]) -> tuple[list[Sentence], int, tuple[Sentence, ...]]:
    """What of `said` still stands, how many of these word for word, and what is gone; corrections and rules first."""
    summary = Summary("\n".join(text for entry in opening if (text := _text(entry))))
    told = [(sentence, summary.tells(sentence.text)) for sentence in _latest(said)]
    gone = [one for one, how in told if how == "gone"]
    return (
        [one for one, how in told if how != "gone"],
        sum(how == "verbatim" for _one, how in told),
        tuple(sorted(gone, key=lambda one: _ORDER.index(one.weight))),
    )


def _latest(said: Sequence[Sentence]) -> list[Sentence]:
    """What was said twice counts once, where it was said last."""
    return list({one.text.casefold(): one for one in said}.values())


def _opening(ledger: Ledger, boundary: CompactBoundary, after: Sequence[Entry]) -> Iterator[Entry]:
    """What the model saw right after the compaction: the summary, what came with it, and what was kept."""
    yield from takewhile(lambda entry: not _goes_on(entry), after)
    chain = ledger.chain
    yield from (ledger[at] for at in chain.kept(chain.position(boundary.uuid)))


def _goes_on(entry: Entry) -> bool:
    return isinstance(entry, MessageEntry) and (entry.message.role == "assistant" or is_prompt(entry))


def _is_summary(entry: Entry) -> bool:
    return isinstance(entry, MessageEntry) and entry.is_compact_summary


def _text(entry: Entry) -> str:
    message = entry.message if isinstance(entry, MessageEntry | AttachmentEntry) else None
    return message.text if message is not None else ""


def _reread(before: Sequence[Entry], after: Sequence[Entry], tokenizer: str) -> Iterator[Reread]:
    """The costliest first."""
    known = {path for done in calls_done(before) for path in _read_by(done)}
    again: dict[str, list[int]] = {}
    for done in calls_done(after):
        paths = [path for path in _read_by(done) if path in known]
        for path in paths:
            again.setdefault(path, []).append(estimate_text(done.result, tokenizer) // len(paths))
    sums = [Reread(path, len(sizes), sum(sizes)) for path, sizes in again.items()]
    yield from sorted(sums, key=lambda one: -one.tokens)


def _read_by(done: Done) -> tuple[str, ...]:
    if done.is_error:
        return ()
    if done.call.name == "Read":
        path = done.argument("file_path")
        return (path,) if path else ()
    return effects(done.argument("command")).read if done.call.name == "Bash" else ()
