"""Copies a conversation, ours or Claude Code's, into a file of ours: one clean line of records, every healed link written out."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Raw

from agent.protocol.errors import TranscriptError
from agent.transcript.chain import NOBODY
from agent.transcript.entries import FORKED_FROM, LEAF, MetaEntry
from agent.transcript.family import with_family
from agent.transcript.ledger import Ledger
from agent.transcript.lines import relaxed


def copied_lines(ledger: Ledger, leaf: str | None, session_id: str, source: Path) -> Iterator[bytes]:
    """The records of the chain to `leaf`, from the very beginning, as lines of the session `session_id`.

    Only the session, the parent and a boundary's logical parent are rewritten; all other fields keep their bytes. Then the latest
    metadata, where it was all copied from, and a leaf record.
    """
    for at in _wanted(ledger, ledger.chain.position(leaf)):
        yield _rewritten(ledger.line(at), session_id, _links(ledger, at))
    for kind, at in ledger.metadata.items():
        if kind != FORKED_FROM:
            yield _rewritten(ledger.line(at), session_id, {})
    sources = [str(path) for path in (*sources_of(ledger), source)]
    yield msgspec.json.encode({"type": FORKED_FROM, "sessionId": session_id, "sources": sources}) + b"\n"
    yield msgspec.json.encode({"type": LEAF, "sessionId": session_id, "leafUuid": leaf}) + b"\n"


def sources_of(ledger: Ledger) -> tuple[Path, ...]:
    """The files that a conversation was copied from, the oldest first."""
    at = ledger.metadata.get(FORKED_FROM)
    entry = None if at is None else ledger[at]
    named = entry.fields.get("sources") if isinstance(entry, MetaEntry) else None
    return tuple(Path(name) for name in named if isinstance(name, str)) if isinstance(named, list) else ()


def _wanted(ledger: Ledger, leaf: int) -> list[int]:
    chain = ledger.chain
    wanted: dict[int, None] = {}
    for at in with_family(ledger, chain.whole_path(leaf)):
        if at in chain.cuts:
            wanted |= dict.fromkeys(chain.kept(at))
        wanted[at] = None
    return list(wanted)


def _links(ledger: Ledger, at: int) -> dict[str, str | None]:
    chain = ledger.chain
    links = {"parentUuid": _uuid(ledger, chain.nodes[at].parent)}
    if at in chain.cuts:
        links["logicalParentUuid"] = _uuid(ledger, chain.cuts[at].before)
    return links


def _uuid(ledger: Ledger, at: int) -> str | None:
    return None if at == NOBODY else ledger.chain.nodes[at].uuid


def _rewritten(line: bytes, session_id: str, links: dict[str, str | None]) -> bytes:
    try:
        fields = msgspec.json.decode(line, type=dict[str, Raw])
    except msgspec.DecodeError as error:
        clean = relaxed(line)
        if clean is None:
            raise TranscriptError("A record of the transcript changed while it was copied.", do="Try again.") from error
        fields = msgspec.json.decode(clean, type=dict[str, Raw])
    for name, value in ({"sessionId": session_id} | links).items():
        fields[name] = Raw(msgspec.json.encode(value))
    return msgspec.json.encode(fields) + b"\n"
