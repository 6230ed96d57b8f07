"""Which model a conversation of an earlier time goes on with."""

from collections.abc import Iterator

from agent.models.aliases import table_id
from agent.models.table import lookup
from agent.protocol.source import Sourced
from agent.transcript.entries import SYNTHETIC_MODEL, CompactBoundary, MessageEntry
from agent.transcript.transcript import Transcript


def kept_model(transcript: Transcript, setting: Sourced[str]) -> str | None:
    """The model that `transcript` was last answered by, or None for that of the `setting`.

    A flag, the environment or a settings file that names a model decides; so does the default where it is the same model. A record
    that was copied from a file of another program may name a model that answers no more: only those we know count then.
    """
    if setting.source != "default":
        return None
    model = next(_models(transcript), "")
    foreign = any(not source.is_relative_to(transcript.path.parent.parent) for source in transcript.sources)
    if not model or table_id(model) == table_id(setting.value) or (foreign and not lookup(model).known):
        return None
    return model


def _models(transcript: Transcript) -> Iterator[str]:
    """The models of the conversation, the latest first; what was before a compaction comes when nothing after it tells."""
    ledger, leaf = transcript.entries(), transcript.leaf
    while leaf is not None:
        path, leaf = ledger.chain.path(ledger.chain.position(leaf)), None
        for at in reversed(path):
            match entry := ledger[at]:
                case MessageEntry(model=model) if model and model != SYNTHETIC_MODEL:
                    yield model
                case CompactBoundary():
                    if entry.model:
                        yield entry.model
                    leaf = entry.logical_parent_uuid
                case _:
                    pass
