"""The two readings of a transcript: what the model sees, and what the person sees."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from agent.transcript.chain import NOBODY, SAID
from agent.transcript.entries import (
    PROMPT_CONTEXT,
    SYNTHETIC_MODEL,
    AttachmentEntry,
    CompactBoundary,
    Entry,
    MessageEntry,
)
from agent.transcript.family import with_family
from agent.transcript.ledger import Ledger


def model_view(entries: Sequence[Entry], leaf: str | None) -> tuple[MessageEntry, ...]:
    """What the model sees at `leaf`: since the last boundary the summary, the kept messages, the attachments, and what followed.

    Answers that no model gave are left out. An attachment comes as a message that nobody typed. Empty for an unknown leaf.
    """
    ledger = _ledger(entries)
    positions = model_positions(ledger, leaf)
    seen = (_as_message(ledger.alive(at)) for at in positions)
    said = _joined(entry for entry in seen if entry is not None and entry.model != SYNTHETIC_MODEL)
    return tuple(entry for entry in said if isinstance(entry, MessageEntry))


def screen_view(entries: Sequence[Entry], leaf: str | None) -> tuple[Entry, ...]:
    """What the person sees at `leaf`: the whole chain from the very beginning, with its boundaries and markers."""
    ledger = _ledger(entries)
    path = ledger.chain.whole_path(ledger.chain.position(leaf))
    return tuple(_joined(ledger[at] for at in with_family(ledger, path)))


def screen_page(
    entries: Sequence[Entry], leaf: str | None, before: int | None, most: int
) -> tuple[tuple[Entry, ...], int]:
    """Of the records behind `screen_view`, about `most` that stand before the `before`th (None: the last ones), and where they begin.

    A page begins with a prompt and what came with it, or a boundary, so that no call stands on another page than its result.
    """
    ledger = _ledger(entries)
    places = with_family(ledger, ledger.chain.whole_path(ledger.chain.position(leaf)))
    end = len(places) if before is None else before
    first = max(0, end - most)
    while first > 0 and not _opens_page(ledger[places[first]]):
        first -= 1
    while first > 0 and is_prompt_context(ledger[places[first - 1]]):
        first -= 1
    return tuple(_joined(ledger[at] for at in places[first:end])), first


def is_prompt_context(entry: Entry) -> bool:
    """Whether `entry` belongs to the prompt after it."""
    return isinstance(entry, AttachmentEntry) and entry.kind == PROMPT_CONTEXT


def _opens_page(entry: Entry) -> bool:
    if isinstance(entry, MessageEntry):
        return entry.message.role == "user" and not entry.message.tool_results
    return isinstance(entry, CompactBoundary)


def model_positions(ledger: Ledger, leaf: str | None) -> list[int]:
    """The places of the records that the model sees at `leaf`, in order."""
    chain = ledger.chain
    path = _since_compaction(ledger, chain.position(leaf))
    wanted = [at for at in with_family(ledger, path) if chain.nodes[at].kind in SAID]
    return [at for at in wanted if not chain.nodes[at].sidechain]


def kept_after_summary(entries: Sequence[Entry], leaf: str | None) -> frozenset[str]:
    """The messages that a compaction before `leaf` left standing behind its summary, by uuid."""
    chain = _ledger(entries).chain
    path = chain.path(chain.position(leaf))
    cut = chain.cuts.get(path[0]) if path else None
    if cut is None or not any(chain.nodes[at].summary for at in path):
        return frozenset()
    if cut.before != NOBODY and chain.position(cut.anchor) == path[0]:
        # kept in front of this summary, as they stood: some of them behind an earlier one
        return cut.among & kept_after_summary(entries, chain.nodes[cut.before].uuid)
    return cut.among


def _since_compaction(ledger: Ledger, leaf: int) -> list[int]:
    """The path from the last whole compaction, what it kept put in its place."""
    chain = ledger.chain
    path = chain.path(leaf)
    while path and path[0] in chain.cuts and not any(chain.nodes[at].summary for at in path):
        # The summary is lost: the history that it stood for is still there.
        path = chain.path(chain.cuts[path[0]].before) + path[1:]
    if not path or path[0] not in chain.cuts:
        return path
    present = set(path)
    kept = [at for at in _whole_messages(ledger, chain.kept(path[0])) if at not in present]
    anchor = chain.position(chain.cuts[path[0]].anchor)
    place = path.index(anchor) + 1 if anchor in present else _after_summary(ledger, path)
    return [*path[:place], *kept, *path[place:]]


def _after_summary(ledger: Ledger, path: list[int]) -> int:
    return max(place for place, at in enumerate(path) if ledger.chain.nodes[at].summary) + 1


def _whole_messages(ledger: Ledger, kept: list[int]) -> list[int]:
    """`kept` with the earlier records of a message that is told in several, when only its last one is named."""
    chain = ledger.chain
    found: dict[int, None] = {}
    for at in kept:
        parts = [at]
        while (parent := chain.nodes[parts[-1]].parent) != NOBODY and _same_message(ledger, parent, at):
            parts.append(parent)
        found |= dict.fromkeys(reversed(parts))
    return list(found)


def _same_message(ledger: Ledger, one: int, other: int) -> bool:
    message_id = ledger.chain.nodes[other].message_id
    return bool(message_id) and ledger.chain.nodes[one].message_id == message_id


def _as_message(entry: Entry) -> MessageEntry | None:
    if isinstance(entry, MessageEntry):
        return entry
    if isinstance(entry, AttachmentEntry) and entry.message is not None:
        return MessageEntry(
            uuid=entry.uuid,
            parent_uuid=entry.parent_uuid,
            message=entry.message,
            timestamp=entry.timestamp,
            is_meta=True,
        )
    return None


def _joined(entries: Iterable[Entry]) -> Iterator[Entry]:
    """One entry for each API message: Claude Code writes one record for each block, each with the whole message's usage."""
    previous: Entry | None = None
    for entry in entries:
        if isinstance(previous, MessageEntry) and isinstance(entry, MessageEntry) and _continues(previous, entry):
            previous = _join(previous, entry)
            continue
        if previous is not None:
            yield previous
        previous = entry
    if previous is not None:
        yield previous


def _continues(previous: MessageEntry, entry: MessageEntry) -> bool:
    return entry.message.role == "assistant" and bool(entry.message_id) and entry.message_id == previous.message_id


def _join(first: MessageEntry, second: MessageEntry) -> MessageEntry:
    return msgspec.structs.replace(
        second,
        parent_uuid=first.parent_uuid,
        message=msgspec.structs.replace(second.message, blocks=(*first.message.blocks, *second.message.blocks)),
        usage=second.usage or first.usage,
        stop_reason=second.stop_reason or first.stop_reason,
        timestamp=first.timestamp,
    )


def _ledger(entries: Sequence[Entry]) -> Ledger:
    return entries if isinstance(entries, Ledger) else Ledger.of(entries)
