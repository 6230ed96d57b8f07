"""All records of a transcript as a sequence: every place known, bodies decoded only when somebody looks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, overload

from agent.transcript.chain import Chain
from agent.transcript.codec import Stamp, encode_entry
from agent.transcript.decode import decode_entry
from agent.transcript.entries import METADATA, Entry, MetaEntry
from agent.transcript.lines import Found, read_head, scan
from agent.transcript.store import Reader, read_lines

LOST = MetaEntry(kind="lost", fields={})
NO_STAMP = Stamp(session_id="", cwd="", version="")


class Bytes(Protocol):
    """Where bodies are read from."""

    def read(self, offset: int, length: int) -> bytes: ...


class Ledger(Sequence[Entry]):
    """The entries of a file in file order, with their chain.

    What is read to be sent stays decoded (`live`); everything else is decoded anew each time, so that memory follows what the model
    sees and not what the file holds.
    """

    def __init__(self, source: Bytes | None = None) -> None:
        self.chain = Chain()
        self.metadata: dict[str, int] = {}
        self.damage: Counter[str] = Counter()
        self._source = source
        self._places: list[tuple[int, int]] = []
        self._live: dict[int, Entry] = {}

    @classmethod
    def load(cls, lines: Iterable[bytes], source: Bytes) -> "Ledger":
        """The ledger of a whole file; `lines` from its beginning, `source` to read bodies from later."""
        ledger = cls(source)
        for found in scan(iter(lines)):
            ledger._add_found(found)
        return ledger

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> "Ledger":
        """A ledger of entries that are in memory."""
        ledger = cls()
        for entry in entries:
            ledger.append(entry, encode_entry(entry, NO_STAMP), 0)
        return ledger

    def append(self, entry: Entry, line: bytes, offset: int) -> None:
        """Takes a record that was just written; it stays decoded."""
        head = read_head(line)
        if head is None:
            raise ValueError("an encoded entry is always a record")
        self._live[len(self._places)] = entry
        self._add_found(Found(offset, len(line), head))

    def _add_found(self, found: Found) -> None:
        if found.head is None:
            self.damage["torn tail" if found.torn else "unreadable line"] += 1
            return
        if found.head.type in METADATA:
            self.metadata[found.head.type] = len(self._places)
        self._places.append((found.offset, found.length))
        self.chain.add(found.head)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...

    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(len(self))[index])
        at = range(len(self))[index]
        live = self._live.get(at)
        if live is not None:
            return live
        line = self.line(at)
        return decode_entry(line) if len(line) == self._places[at][1] > 0 else LOST

    def __iter__(self) -> Iterator[Entry]:
        return (self[at] for at in range(len(self)))

    def line(self, at: int) -> bytes:
        """The record at `at` as it stands in the file."""
        if self._source is None:
            return encode_entry(self._live[at], NO_STAMP)
        offset, length = self._places[at]
        return self._source.read(offset, length)

    def cut(self, held: int, stamp: Stamp) -> tuple[dict[int, bytes], int]:
        """The file now ends after `held` bytes: the lines of the entries behind that are in memory, by place, and how many others are lost."""
        gone = [at for at, (offset, length) in enumerate(self._places) if length and offset + length > held]
        for at in gone:
            self._places[at] = (held, 0)
        known = {at: encode_entry(self._live[at], stamp) for at in gone if at in self._live}
        return known, len(gone) - len(known)

    def written_again(self, at: int, offset: int, length: int) -> None:
        """The entry at `at` stands there now."""
        self._places[at] = (offset, length)

    def alive(self, at: int) -> Entry:
        """The entry at `at`, kept decoded from now on."""
        entry = self[at]
        if entry is not LOST:
            self._live[at] = entry
        return entry

    def forget_all_but(self, wanted: Iterable[int]) -> None:
        """Drops decoded bodies that are not `wanted`; they can be read again."""
        if self._source is not None:
            self._live = {at: self._live[at] for at in wanted if at in self._live}

    @property
    def live(self) -> int:
        """How many bodies are decoded."""
        return len(self._live)


def load(path: Path) -> Ledger:
    """The ledger of the file at `path`, only to read: no lock is taken; raises SessionNotFound or TranscriptError."""
    return Ledger.load(read_lines(path), Reader(path))


def notices_of(ledger: Ledger) -> tuple[str, ...]:
    """One plain line for each kind of damage that was healed on loading."""
    counts = ledger.damage + ledger.chain.healed + Counter({"missing kept": ledger.chain.missing_kept()})
    lines = [_NOTICES[name].format(n=count, s="" if count == 1 else "s") for name, count in counts.items()]
    if ledger.chain.unfinished_compaction():
        lines.append("Transcript: a compaction was cut off while it was saved; the conversation before it is used.")
    return tuple(lines)


_NOTICES = {
    "torn tail": "Transcript: the last record was cut off while it was saved; everything before it is there.",
    "unreadable line": "Transcript: {n} line{s} could not be read; left out, the file is unchanged.",
    "duplicate": "Transcript: {n} duplicate record{s} ignored.",
    "self-parent": "Transcript: {n} record{s} named themselves as parent; attached to the record before.",
    "missing parent": "Transcript: the parent of {n} record{s} is missing; attached to the record before.",
    "missing kept": "Transcript: {n} kept message{s} missing after a compaction; the summary is there.",
    "circle": "Transcript: {n} record{s} closed a circle; attached to the record before.",
}
