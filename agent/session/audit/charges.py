"""What a transcript says was asked of models, in the order of the record: each answer once, and what summaries took."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct, field

from agent.models.prices import cost
from agent.models.rehearsed import is_rehearsed
from agent.protocol.messages import Usage
from agent.transcript.entries import LEAF, SYNTHETIC_MODEL
from agent.transcript.lines import CompactMetadata, WireUsage
from agent.transcript.store import read_lines


class _Lifetimes(Struct):
    ephemeral_1h_input_tokens: int | None = 0


class _Counted(WireUsage, frozen=True):
    cache_creation: _Lifetimes | None = None


class _Answer(Struct):
    id: str | None = None
    model: str | None = None
    usage: _Counted | None = None


class _Record(Struct):
    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    leaf: str | None = field(name="leafUuid", default=None)
    message: _Answer | None = None
    compact_metadata: CompactMetadata | None = field(name="compactMetadata", default=None)


_records = msgspec.json.Decoder(_Record)


class Charge(Struct, frozen=True, kw_only=True):
    """One request, or the `requests` of a compaction: `dollars` is None for an unknown price; `rehearsed` ones are not paid.

    Of a compaction: `shorter` is by how many tokens it made every later request.
    """

    id: str
    model: str
    usage: Usage
    dollars: float | None
    rehearsed: bool
    requests: int = 1
    compaction: bool = False
    shorter: int = 0

    @property
    def asked(self) -> bool:
        """Whether a model was asked at all; a summary may be extracts from the record."""
        return bool(self.usage.context or self.dollars)


class Elsewhere(Struct, frozen=True):
    """Here the conversation was taken to another place (undo, rewind): it went on after the record `leaf`, None at the beginning."""

    leaf: str | None


def charges(path: Path) -> list[Charge | Elsewhere]:
    """All requests in the order of the record, on every branch of it, and where the conversation went from one to another.

    Of an answer that is told in several records the last one counts. Raises SessionNotFound or TranscriptError.
    """
    found: list[Charge | Elsewhere] = []
    places: dict[str, int] = {}
    model, rehearsed = "", False
    for record in _telling(path):
        if record.type == LEAF:
            found.append(Elsewhere(record.leaf))
        elif charge := _answer(record) or _compaction(record, model, rehearsed=rehearsed):
            model, rehearsed = charge.model, charge.rehearsed
            if charge.id in places:
                found[places[charge.id]] = charge
            else:
                places[charge.id] = len(found)
                found.append(charge)
    return found


def _telling(path: Path) -> Iterator[_Record]:
    for line in read_lines(path):
        if b'"assistant"' in line or b'"compact_boundary"' in line or b'"leaf"' in line:
            try:
                yield _records.decode(line)
            except (msgspec.DecodeError, RecursionError):
                continue


def _answer(record: _Record) -> Charge | None:
    answer = record.message
    if record.type != "assistant" or answer is None or answer.usage is None or answer.model == SYNTHETIC_MODEL:
        return None
    id, model, usage = answer.id or record.uuid or "", answer.model or "unknown model", answer.usage.usage()
    kept = answer.usage.cache_creation
    dollars = cost(model, usage, ttl="1h" if kept and kept.ephemeral_1h_input_tokens else "5m")
    return Charge(id=id, model=model, usage=usage, dollars=dollars, rehearsed=is_rehearsed(id))


def _compaction(record: _Record, model: str, *, rehearsed: bool) -> Charge | None:
    """What a summary took, where its boundary tells; one that does not name its model was asked of the `model` that answered before."""
    told = record.compact_metadata
    if record.subtype != "compact_boundary" or told is None or (told.usage is None and told.cost_usd is None):
        return None
    shorter = max(0, told.pre_tokens - told.post_tokens)
    return Charge(
        id=record.uuid or "",
        model=told.model or model or "unknown model",
        usage=Usage() if told.usage is None else told.usage.usage(),
        dollars=told.cost_usd,
        rehearsed=rehearsed,
        requests=told.requests,
        compaction=True,
        shorter=shorter,
    )
