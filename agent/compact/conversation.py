"""What one session remembers: its transcript and what of it is sent, its meter, the files it has read and changed, and how its compactions went."""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
from msgspec import Struct

from agent.compact.circuit_breaker import CircuitBreaker
from agent.compact.installed import installed
from agent.compact.keep_tail import loses_thinking
from agent.context.cache_watch import CacheWatch, seconds_since
from agent.context.edits import (
    Editor,
    Edits,
    alike_at,
    only_pins_differ,
    recorded_edits,
    without_thinking,
)
from agent.context.frame import Frame
from agent.context.meter import Meter
from agent.file_history.snapshots import FileHistory
from agent.models.table import lookup
from agent.protocol.clock import Clock
from agent.protocol.messages import Message
from agent.protocol.meter import Reading
from agent.protocol.tools import FileStamp
from agent.tokens.choose import Counting, counting
from agent.tools.read_state import FileReadState
from agent.transcript.entries import CONTEXT_EDITS, MessageEntry
from agent.transcript.invariants import repair
from agent.transcript.ledger import Ledger
from agent.transcript.transcript import Transcript
from agent.transcript.view import kept_after_summary, model_view

RECALLED = 40  # answers of a resumed conversation that teach the meter anew


class Undo(Struct, frozen=True):
    """A person's latest edit: as long as these edits stand and the conversation ends at `leaf`, it can be taken back without a trace."""

    before: Edits
    after: Edits
    leaf: str | None


class _Views(Struct, frozen=True):
    """The record as it read when it had `length` entries and ended at `leaf`; `fitting` is what of it can be sent."""

    length: int
    leaf: str | None
    recorded: tuple[MessageEntry, ...]
    fitting: tuple[MessageEntry, ...]


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
        self.opening: tuple[Message, ...] = ()  # what will stand before the first prompt, as far as it is known
        self.cache_watch = CacheWatch()
        self._editor = Editor()
        self._told: set[str] = set()
        self._views: _Views | None = None

    def view(self) -> tuple[MessageEntry, ...]:
        """What the model sees: the record with all edits, those that the server makes too."""
        return self._editor.seen(self._read().fitting, self.edits, self.pending_clears)

    def sent(self) -> tuple[MessageEntry, ...]:
        """What a request carries: the record with our own edits. The same as `view()` unless the server leaves results out."""
        return self._editor.sent(self._read().fitting, self.edits)

    @property
    def begun(self) -> bool:
        """Whether a prompt stands in it; a command or a pin of the person's own may before that."""
        return any(not entry.is_meta for entry in self.view())

    @property
    def expected(self) -> tuple[Message, ...]:
        """What comes with the first prompt without being on record yet; nothing once that has been said."""
        return () if not self.opening or self.begun else self.opening

    def recorded(self) -> tuple[MessageEntry, ...]:
        """What the model would see had nothing been edited."""
        return self._read().recorded

    @property
    def server_cleared(self) -> tuple[str, ...]:
        """The calls whose results the API is told to leave out: those it has accepted, and those that wait for its answer."""
        return (*self.edits.server_cleared, *self.pending_clears)

    def edit(self, edits: Edits, frame: Frame) -> None:
        """Puts `edits` on record and into force; raises TranscriptError with nothing changed."""
        self.transcript.append_meta(CONTEXT_EDITS, msgspec.to_builtins(edits))
        only_pins = only_pins_differ(self.edits, edits)
        self.edits = recorded_edits(self.transcript.entries())  # as they are on record, where no key is readable
        if not only_pins:
            self.moved(frame.overhead)

    def moved(self, overhead: int | None) -> None:
        """Other messages are sent now: the meter rests on the last answer that still speaks of them, or on what was told of the compaction."""
        view, ledger = self.view(), self.transcript.entries()
        messages = [entry.message for entry in view]
        self.meter.rewritten(messages, overhead)
        alike = alike_at(ledger)
        answers = _counted(ledger, view, alike)
        if answers and (usage := view[answers[-1]].usage) is not None:
            said, model = messages[: answers[-1] + 1], view[answers[-1]].model
            self.meter.resumed(said, usage, _counting_of(model))
        elif (told := installed(ledger, self.transcript.leaf)) and alike(told.at):
            self.meter.told(messages[: told.messages], told.tokens, _counting_of(told.model))

    def watch_on(self, clock: Clock) -> None:
        """What an earlier process has left in the API's cache: the next turn is told apart from it."""
        view = self.sent()
        answers = _counted(self.transcript.entries(), view, alike_at(self.transcript.entries()))
        last = view[answers[-1]] if answers else None
        age = None if last is None else seconds_since(last.timestamp, clock.now())
        if last is None or last.usage is None or age is None:
            return
        asked, _notices = repair([entry.message for entry in view[: answers[-1]]])
        self.cache_watch.left(asked, last.model, last.message_id, last.usage, clock.monotonic() - age)

    def recall(self) -> None:
        """Learns the tokenizer again from the last answers on record, as far as it was this one that counted them."""
        view = self.recorded()  # as it was when they were counted
        for before, at in pairwise(_counted(self.transcript.entries(), view)[-RECALLED:]):
            said, earlier = view[at].usage, view[before].usage
            if said is not None and earlier is not None and self.meter.counts_like(*counting(view[at].model)):
                new = [entry.message for entry in view[before + 1 : at]]
                self.meter.learn(new, said.prompt - earlier.context)

    def messages(self) -> tuple[Message, ...]:
        """What the model sees."""
        return tuple(entry.message for entry in self.view())

    def untold(self, notices: Iterable[str]) -> list[str]:
        """Those of `notices` that the person has not been told yet in this conversation; from now on they count as told."""
        new = [notice for notice in dict.fromkeys(notices) if notice not in self._told]
        self._told.update(new)
        return new

    def reading(self, frame: Frame) -> Reading:
        """How full the context is now, with what is expected."""
        view = self.messages()
        reading = self.meter.read((*view, *self.expected), frame.overhead)
        answered = any(message.role == "assistant" for message in view)
        return msgspec.structs.replace(
            reading, resting=self.breaker.open, compactable=answered and frame.overhead < reading.tiers.blocking
        )

    def _read(self) -> _Views:
        """The record's views; it only grows, so they hold until it does or ends elsewhere."""
        ledger, leaf = self.transcript.entries(), self.transcript.leaf
        if self._views is None or (self._views.length, self._views.leaf) != (len(ledger), leaf):
            recorded = model_view(ledger, leaf)
            self._views = _Views(len(ledger), leaf, recorded, _fitting(recorded, kept_after_summary(ledger, leaf)))
        return self._views


def _counting_of(model: str) -> Counting | None:
    """How a model on record counts; None for one that nobody knows."""
    return counting(model) if lookup(model).known else None


def _fitting(recorded: Sequence[MessageEntry], kept: Collection[str]) -> tuple[MessageEntry, ...]:
    """`recorded` without the thinking of messages that a compaction `kept`: what stood before them is not there any more."""
    return tuple(
        without_thinking(entry) if entry.uuid in kept and loses_thinking(entry) else entry for entry in recorded
    )


def _counted(
    ledger: Ledger, view: Sequence[MessageEntry], alike: Callable[[int], bool] = lambda _at: True
) -> list[int]:
    """The places of the answers whose usage is of this history: those on record after its compaction, and where it was `alike`."""
    bound = max((ledger.chain.position(entry.uuid) for entry in view if entry.is_compact_summary), default=-1)
    with_usage = {at: ledger.chain.position(entry.uuid) for at, entry in enumerate(view) if entry.usage is not None}
    return [at for at, place in with_usage.items() if place > bound and alike(place)]
