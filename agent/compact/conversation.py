"""What one session remembers: its transcript and what of it is sent, its meter, the files it has read and changed, and how its compactions went."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from agent.compact.circuit_breaker import CircuitBreaker
from agent.compact.keep_tail import loses_thinking
from agent.context.cache_watch import CacheWatch
from agent.context.edits import Editor, Edits, recorded_edits, without_thinking
from agent.context.frame import Frame
from agent.context.meter import Meter
from agent.file_history.snapshots import FileHistory
from agent.models.table import lookup
from agent.protocol.messages import Message
from agent.protocol.meter import Reading
from agent.protocol.tools import FileStamp
from agent.tokens.choose import counting
from agent.tools.read_state import FileReadState
from agent.transcript.entries import CONTEXT_EDITS, MessageEntry
from agent.transcript.ledger import Ledger
from agent.transcript.transcript import Transcript
from agent.transcript.view import kept_after_summary, model_view


class Undo(Struct, frozen=True):
    """A person's latest edit: as long as these edits stand and the conversation ends at `leaf`, it can be taken back without a trace."""

    before: Edits
    after: Edits
    leaf: str | None


class Conversation:
    """Replaced as a whole by /clear and /resume; everything in it belongs to one transcript."""

    def __init__(
        self, transcript: Transcript, meter: Meter, read_state: FileReadState, file_history: FileHistory
    ) -> None:
        self.transcript = transcript
        self.file_history = file_history
        self.meter = meter
        self.read_state = read_state
        self.breaker = CircuitBreaker()
        # by boundary: what was known of the files that it gave back
        self.stamps_before: dict[str, dict[Path, FileStamp]] = {}
        self.edits = recorded_edits(transcript.entries())
        self.undo_edit: Undo | None = None
        self.ask_no_more = False  # about automatic compactions: the person has said so
        self.pending_clears: tuple[str, ...] = ()
        self.server_clear_refused = False
        self.cache_watch = CacheWatch()
        self._editor = Editor()
        self._told: set[str] = set()

    def view(self) -> tuple[MessageEntry, ...]:
        """What the model sees: the record with all edits, those that the server makes too."""
        return self._editor.seen(self._fitting(), self.edits, self.pending_clears)

    def sent(self) -> tuple[MessageEntry, ...]:
        """What a request carries: the record with our own edits. The same as `view()` unless the server leaves results out."""
        return self._editor.sent(self._fitting(), self.edits)

    def recorded(self) -> tuple[MessageEntry, ...]:
        """What the model would see had nothing been edited."""
        return model_view(self.transcript.entries(), self.transcript.leaf)

    def _fitting(self) -> tuple[MessageEntry, ...]:
        """The record without the thinking of messages that a compaction kept: what stood before them is not there any more."""
        kept = kept_after_summary(self.transcript.entries(), self.transcript.leaf)
        return tuple(
            without_thinking(entry) if entry.uuid in kept and loses_thinking(entry) else entry
            for entry in self.recorded()
        )

    @property
    def server_cleared(self) -> tuple[str, ...]:
        """The calls whose results the API is told to leave out: those it has accepted, and those that wait for its answer."""
        return (*self.edits.server_cleared, *self.pending_clears)

    def edit(self, edits: Edits, frame: Frame) -> None:
        """Puts `edits` on record and into force; raises TranscriptError with nothing changed."""
        self.transcript.append_meta(CONTEXT_EDITS, msgspec.to_builtins(edits))
        only_pins = msgspec.structs.replace(self.edits, pins=edits.pins) == edits
        self.edits = edits
        if not only_pins:
            self.meter.rewritten(self.messages(), frame.overhead)

    def moved(self, overhead: int | None) -> None:
        """The conversation now ends elsewhere in its record: the meter rests on the last answer there that still speaks of what is sent."""
        view = self.view()
        self.meter.rewritten([entry.message for entry in view], overhead)
        at = _last_counted(self.transcript.entries(), view)
        if at is not None and (usage := view[at].usage) is not None:
            said, model = [entry.message for entry in view[: at + 1]], view[at].model
            self.meter.resumed(said, usage, counting(model) if lookup(model).known else None)

    def messages(self) -> tuple[Message, ...]:
        """What the model sees."""
        return tuple(entry.message for entry in self.view())

    def untold(self, notices: Iterable[str]) -> list[str]:
        """Those of `notices` that the person has not been told yet in this conversation; from now on they count as told."""
        new = [notice for notice in dict.fromkeys(notices) if notice not in self._told]
        self._told.update(new)
        return new

    def reading(self, frame: Frame) -> Reading:
        """How full the context is now."""
        reading = self.meter.read(self.messages(), frame.overhead)
        return msgspec.structs.replace(reading, resting=True) if self.breaker.open else reading


def _last_counted(ledger: Ledger, view: Sequence[MessageEntry]) -> int | None:
    """The place of the last answer with a usage, if the history before it was not compacted or edited after it."""
    summaries = [ledger.chain.position(entry.uuid) for entry in view if entry.is_compact_summary]
    since = max((*summaries, ledger.metadata.get(CONTEXT_EDITS, -1)))
    at = next((at for at in range(len(view) - 1, -1, -1) if view[at].usage is not None), None)
    return at if at is not None and ledger.chain.position(view[at].uuid) > since else None
