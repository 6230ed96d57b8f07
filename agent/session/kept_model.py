"""Which model a conversation goes on with when it is continued: what its record says, and how that comes there."""

from collections.abc import Iterator
from contextlib import suppress

from agent.models.aliases import declared_window, table_id
from agent.models.table import lookup
from agent.protocol.errors import TranscriptError
from agent.protocol.source import Sourced
from agent.transcript.chain import Kind
from agent.transcript.entries import SESSION_MODEL, SYNTHETIC_MODEL, CompactBoundary, MessageEntry, MetaEntry
from agent.transcript.transcript import Transcript


def kept_model(transcript: Transcript, setting: Sourced[str]) -> str | None:
    """The model that `transcript` says it has, or None for that of the `setting`.

    A flag, the environment or a settings file that names a model decides; so does the default where it is the same model. A record
    that was copied from a file of another program may name a model that answers no more: only those we know count then.
    """
    if setting.source != "default":
        return None
    model = _told(transcript)
    foreign = any(not source.is_relative_to(transcript.path.parent.parent) for source in transcript.sources)
    if not model or _same(model, setting.value) or (foreign and not lookup(model).known):
        return None
    return model


def record_model(transcript: Transcript, name: str) -> None:
    """Puts the model that the person has chosen on record, `name` as it was written, where the record would tell otherwise.

    Best effort: the model is chosen all the same, and its next answer tells it.
    """
    with suppress(TranscriptError):
        if transcript.entries() and not _same(_told(transcript), name):
            transcript.append_meta(SESSION_MODEL, {"model": name})


def record_answered(transcript: Transcript, name: str) -> None:
    """The same once the model has answered: one that a flag names and nobody knows does not stay."""
    if table_id(next(_models(transcript), "")) == table_id(name):
        record_model(transcript, name)


def _same(one: str, other: str) -> bool:
    return table_id(one) == table_id(other) and declared_window(one) == declared_window(other)


def _told(transcript: Transcript) -> str:
    """What a person has chosen, else who answered last; "" when nothing tells."""
    ledger = transcript.entries()
    at = ledger.metadata.get(SESSION_MODEL)
    entry = None if at is None else ledger[at]
    chosen = entry.fields.get("model") if isinstance(entry, MetaEntry) else None
    return chosen if isinstance(chosen, str) and chosen else next(_models(transcript), "")


def _models(transcript: Transcript) -> Iterator[str]:
    """The models of the conversation, the latest first; what was before a compaction comes when nothing after it tells."""
    ledger, leaf = transcript.entries(), transcript.leaf
    while leaf is not None:
        path, leaf = ledger.chain.path(ledger.chain.position(leaf)), None
        for at in reversed(path):
            if ledger.chain.nodes[at].kind not in (Kind.ASSISTANT, Kind.BOUNDARY):
                continue
            match entry := ledger[at]:
                case MessageEntry(model=model) if model and model != SYNTHETIC_MODEL:
                    yield model
                case CompactBoundary():
                    if entry.model:
                        yield entry.model
                    leaf = entry.logical_parent_uuid
                case _:
                    pass
