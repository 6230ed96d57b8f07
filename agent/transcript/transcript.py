"""One session on record: append-only, one writer, and memory that never runs ahead of the disk."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from agent.protocol.clock import Clock, Ids
from agent.protocol.errors import TranscriptError
from agent.protocol.messages import Message, Usage
from agent.protocol.results import Checked, Trigger
from agent.protocol.text import counted
from agent.transcript.boundary import compaction
from agent.transcript.chain import NOBODY
from agent.transcript.codec import Stamp, encode_entry
from agent.transcript.entries import (
    LEAF,
    MOVED_FROM,
    AttachmentEntry,
    CompactBoundary,
    Entry,
    MessageEntry,
    MetaEntry,
    ToolDetails,
)
from agent.transcript.fork import copied_lines, sources_of
from agent.transcript.ledger import LOST, Ledger, load, notices_of
from agent.transcript.masking import masked, masked_fields
from agent.transcript.store import Store
from agent.transcript.view import model_positions


class Transcript:
    """What was said, in a file that only grows. Every method that records raises TranscriptError and then has changed nothing.

    `secrets` tells the literal values that are masked in all that is recorded from now on, `branch` the git branch that each record names.
    """

    def __init__(self, store: Store, ledger: Ledger, stamp: Stamp, clock: Clock, ids: Ids) -> None:
        self.path = store.path
        self.session_id = stamp.session_id
        self.notices = notices_of(ledger)
        self._store = store
        self._ledger = ledger
        self._stamp = stamp
        self._clock = clock
        self._ids = ids
        self.secrets: Callable[[], Sequence[str]] = tuple
        self.branch: Callable[[], str] = str

    @classmethod
    def create(cls, path: Path, *, session_id: str, cwd: Path, version: str, clock: Clock, ids: Ids) -> "Transcript":
        """A new session; the file (0600, in a 0700 folder) is made by the first append."""
        store = Store(path)
        stamp = Stamp(session_id=session_id, cwd=str(cwd), version=version)
        return cls(store, Ledger(store), stamp, clock, ids)

    @classmethod
    def open(cls, path: Path, *, cwd: Path, version: str, clock: Clock, ids: Ids) -> "Transcript":
        """Resumes a session of ours for writing; `notices` name what had to be healed, the file itself is not touched.

        Raises SessionNotFound, or SessionBusy when another process writes it.
        """
        store = Store(path)
        store.open(create=False)
        stamp = Stamp(session_id=path.stem, cwd=str(cwd), version=version)
        try:
            return cls(store, Ledger.load(store.lines(), store), stamp, clock, ids)
        except TranscriptError:
            store.close()
            raise

    @classmethod
    def fork(
        cls,
        source: Path,
        path: Path,
        *,
        session_id: str,
        cwd: Path,
        version: str,
        clock: Clock,
        ids: Ids,
    ) -> "Transcript":
        """A copy of the conversation in `source` (ours or Claude Code's, which is only read) as a new session at `path`."""
        original = load(source)
        leaf = original.chain.leaf_uuid
        store = Store(path)
        stamp = Stamp(session_id=session_id, cwd=str(cwd), version=version)
        try:
            store.append(b"".join(copied_lines(original, leaf, session_id, source)), sync=True)
            forked = cls(store, Ledger.load(store.lines(), store), stamp, clock, ids)
        except TranscriptError:
            store.discard()
            raise
        forked.notices = notices_of(original)
        return forked

    @property
    def leaf(self) -> str | None:
        """The uuid of the last record of the conversation, None at its very beginning."""
        return self._ledger.chain.leaf_uuid

    def mend(self) -> None:
        """What others have deleted or cut of the file is written again as far as it can be; every record does that first. Raises TranscriptError."""
        held = self._store.held()
        if held is not None:
            self._write_again(held)

    def news(self) -> tuple[str, ...]:
        """One line for each harm that was done to the file while it was open, and what became of it; told once."""
        news, self._store.news = tuple(self._store.news), []
        return news

    @property
    def sources(self) -> tuple[Path, ...]:
        """The files that this conversation was copied from, the oldest first."""
        return sources_of(self._ledger)

    def entries(self) -> Ledger:
        """All records in file order; bodies are decoded when looked at."""
        return self._ledger

    def append_message(
        self,
        message: Message,
        *,
        usage: Usage | None = None,
        message_id: str = "",
        model: str = "",
        stop_reason: str = "",
        is_meta: bool = False,
        tool_details: ToolDetails = (),
    ) -> MessageEntry:
        """Records one message at the leaf; what a person typed is fsynced."""
        entry = MessageEntry(
            uuid=self._ids.new(),
            parent_uuid=self.leaf,
            message=masked(message, self.secrets()),
            timestamp=self._now(),
            usage=usage,
            message_id=message_id,
            model=model,
            stop_reason=stop_reason,
            is_meta=is_meta,
            tool_details=tool_details,
        )
        self._record(entry, sync=message.role == "user" and not is_meta and not message.tool_results)
        return entry

    def append_attachment(self, kind: str, message: Message, attached: tuple[str, ...] = ()) -> AttachmentEntry:
        """Records context that the engine adds; `kind` is a short word for what it is, `attached` what it holds, for the person."""
        entry = AttachmentEntry(
            uuid=self._ids.new(),
            parent_uuid=self.leaf,
            kind=kind,
            message=masked(message, self.secrets()),
            attached=attached,
            timestamp=self._now(),
        )
        self._record(entry)
        return entry

    def append_meta(self, kind: str, fields: dict[str, object]) -> MetaEntry:
        """Records a marker that no model sees: custom-title{customTitle}, permission-mode{permissionMode}, last-prompt{lastPrompt}, ..."""
        told = masked_fields(fields, self.secrets())
        entry = MetaEntry(kind=kind, fields=told | {"timestamp": self._now()})
        self._record(entry)
        return entry

    def mark_boundary(
        self,
        *,
        trigger: Trigger,
        pre_tokens: int,
        post_tokens: int,
        summary: Message,
        kept: Sequence[str],
        attachments: Sequence[Message],
        duration_ms: int = 0,
        messages_summarized: int = 0,
        kept_first: bool = False,
        model: str = "",
        requests: int = 1,
        usage: Usage | None = None,
        cost: float | None = None,
        checked: Checked | None = None,
        extractive: bool = False,
    ) -> CompactBoundary:
        """Records a compaction and switches to it: one write, fsynced, then the switch in memory.

        `kept` are uuids of the model view, in order; they follow the summary, or precede it if `kept_first`. The session's metadata
        are written again after it.
        """
        if unknown := [uuid for uuid in kept if self._ledger.chain.position(uuid) == NOBODY]:
            raise TranscriptError(f"Messages to keep are not in this transcript: {', '.join(unknown)}.")
        new = compaction(
            CompactBoundary(
                uuid=self._ids.new(),
                logical_parent_uuid=self.leaf,
                trigger=trigger,
                pre_tokens=pre_tokens,
                post_tokens=post_tokens,
                timestamp=self._now(),
                kept=tuple(kept),
                duration_ms=duration_ms,
                messages_summarized=messages_summarized,
                model=model,
                requests=requests,
                usage=usage,
                cost=cost,
                checked=checked,
                extractive=extractive,
            ),
            masked(summary, self.secrets()),
            [masked(message, self.secrets()) for message in attachments],
            self._ids,
            kept_first=kept_first,
        )
        self._record(*new.entries, *self._metadata(), sync=True)
        boundary = self._ledger.chain.position(new.boundary.uuid)
        self._ledger.forget_all_but([boundary, *model_positions(self._ledger, self.leaf)])
        return new.boundary

    def move_leaf(self, uuid: str | None, reason: str = "undo") -> None:
        """Undo, redo and rewind: the conversation now ends at `uuid` (None: before its beginning); nothing is erased."""
        if uuid is not None and self._ledger.chain.position(uuid) == NOBODY:
            raise TranscriptError(f"This transcript has no record {uuid}.", safe="Nothing was changed.")
        fields: dict[str, object] = {
            "leafUuid": uuid,
            MOVED_FROM: self.leaf,
            "reason": reason,
            "timestamp": self._now(),
        }
        self._record(MetaEntry(kind=LEAF, fields=fields), sync=True)

    def close(self) -> None:
        """Releases the file."""
        self._store.close()

    def _metadata(self) -> list[Entry]:
        return [entry for at in self._ledger.metadata.values() if (entry := self._ledger[at]) is not LOST]

    def _stamp_now(self) -> Stamp:
        return replace(self._stamp, git_branch=self.branch())

    def _record(self, *entries: Entry, sync: bool = False) -> None:
        if not entries:
            return
        stamp = self._stamp_now()
        lines = [encode_entry(entry, stamp) for entry in entries]
        self.mend()
        offset = self._store.append(b"".join(lines), sync=sync)
        for entry, line in zip(entries, lines, strict=True):
            self._ledger.append(entry, line, offset)
            offset += len(line)

    def _write_again(self, held: int) -> None:
        """Somebody has cut the file down to `held` bytes: what is in memory of the rest goes on record again."""
        known, lost = self._ledger.cut(held, self._stamp_now())
        offset = self._store.append(b"".join(known.values()), sync=True) if known else held
        for at, line in known.items():
            self._ledger.written_again(at, offset, len(line))
            offset += len(line)
        gone = f"; {counted(lost, 'older record')} could not be saved" if lost else ""
        self._store.news.append(
            f"The record of this session was cut short by something else: {counted(len(known), 'record')} written again{gone}."
        )

    def _now(self) -> str:
        return self._clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
