"""What the latest compaction did to each block of the conversation: kept, summarised or dropped; read from the record alone."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from agent.compact.added import added_name
from agent.compact.conversation import Conversation
from agent.compact.installed import last_of
from agent.compact.keep_tail import is_request, loses_thinking
from agent.compact.readable_record import record_folder
from agent.context.edits import is_thinking
from agent.protocol.blocks import Block, Document, Image, Opaque, RedactedThinking, Text, Thinking, ToolResult, ToolUse
from agent.protocol.errors import CompactError
from agent.protocol.text import one_line
from agent.tokens.counter import TokenCounter
from agent.tools.titles import title_of
from agent.transcript.entries import CompactBoundary, MessageEntry
from agent.transcript.view import kept_after_summary, model_view, screen_view


class Fate(StrEnum):
    """What became of a block.

    KEPT: the new context holds the same words. SUMMARISED: the summary speaks for it, or something else in the new context names its
    file or command. DROPPED: nothing there speaks of it; it can only be looked up.
    """

    KEPT = "kept"
    SUMMARISED = "summarised"
    DROPPED = "dropped"


class Kind(StrEnum):
    """What a block is, as the table names it."""

    PROMPT = "your messages"
    ANSWER = "answers"
    THINKING = "thinking"
    CALL = "tool calls"
    RESULT = "tool results"
    MEDIA = "pictures and documents"
    CONTEXT = "context (instructions, files, earlier summaries)"


class Piece(Struct, frozen=True):
    """One block before the compaction: in words, in tokens, and what became of it; `record` is the id that finds it."""

    kind: Kind
    name: str
    tokens: int
    fate: Fate
    record: str


class CompactDiff(Struct, frozen=True, kw_only=True):
    """A compaction block by block; `added` are the blocks that came with it (summary, what was given back), as (name, tokens)."""

    boundary: CompactBoundary
    pieces: tuple[Piece, ...]
    added: tuple[tuple[str, int], ...]
    folder: Path

    def tokens(self, fate: Fate, kind: Kind | None = None) -> int:
        """Tokens of the pieces with this fate, all kinds or one."""
        return sum(piece.tokens for piece in self.pieces if piece.fate is fate and kind in (None, piece.kind))

    def largest(self, fate: Fate, most: int) -> tuple[Piece, ...]:
        """The largest pieces with this fate."""
        chosen = [piece for piece in self.pieces if piece.fate is fate]
        return tuple(sorted(chosen, key=lambda piece: -piece.tokens)[:most])


def latest_diff(conversation: Conversation) -> CompactDiff:
    """The diff of the compaction that is in force; raises CompactError when there is none."""
    transcript = conversation.transcript
    entries = transcript.entries()
    chain = screen_view(entries, transcript.leaf)
    boundary = next((entry for entry in reversed(chain) if isinstance(entry, CompactBoundary)), None)
    if boundary is None:
        raise CompactError(
            "There is no compaction in this conversation.", do="/compact preview shows what one would do."
        )
    before = model_view(entries, boundary.logical_parent_uuid)
    known = {entry.uuid for entry in before}
    leaf = last_of(entries, boundary)
    after = model_view(entries, leaf)
    new = [entry for entry in after if entry.uuid not in known]
    bare = {entry.uuid for entry in after if loses_thinking(entry)} & kept_after_summary(entries, leaf)
    judge = _Judge(conversation.meter.counter, kept={entry.uuid for entry in after}, bare=bare, new=new)
    return CompactDiff(
        boundary=boundary,
        pieces=tuple(judge.pieces(before)),
        added=tuple(
            (_name(entry, block, {}), conversation.meter.counter.block(block))
            for entry in new
            for block in entry.message.blocks
        ),
        folder=record_folder(transcript.path),
    )


class _Judge:
    """Says what became of a block, by what the new context holds."""

    def __init__(
        self, counter: TokenCounter, *, kept: Collection[str], bare: Collection[str], new: Sequence[MessageEntry]
    ) -> None:
        """`kept` messages stand as they did, the `bare` ones of them without their thinking; `new` ones came with the compaction."""
        self._count = counter.block
        self._kept = kept
        self._bare = bare
        self._new = "\n".join(text for entry in new for text in _texts(entry.message.blocks))

    def pieces(self, view: Sequence[MessageEntry]) -> Iterator[Piece]:
        calls = {call.id: call for entry in view for call in entry.message.tool_uses}
        for entry in view:
            for block in entry.message.blocks:
                yield Piece(
                    kind=_kind(entry, block),
                    name=_name(entry, block, calls),
                    tokens=self._count(block),
                    fate=self._fate(entry, block, calls),
                    record=_id(block) or entry.uuid,
                )

    def _fate(self, entry: MessageEntry, block: Block, calls: dict[str, ToolUse]) -> Fate:
        if entry.uuid in self._kept:
            return Fate.DROPPED if is_thinking(block) and entry.uuid in self._bare else Fate.KEPT
        match block:
            case Text(text=text):
                standing = text.strip() in self._new or text.strip().replace("\n", "\n  ") in self._new
                return Fate.KEPT if standing else Fate.SUMMARISED
            case ToolUse():
                return self._named(block)
            case ToolResult():
                call = calls.get(block.tool_use_id)
                return Fate.DROPPED if call is None else self._named(call)
            case _:  # thinking is never carried over; of pictures the summary holds words at best
                return Fate.DROPPED

    def _named(self, call: ToolUse) -> Fate:
        subject = title_of(call).removeprefix(call.name).strip()
        return Fate.SUMMARISED if subject and subject in self._new else Fate.DROPPED


def _kind(entry: MessageEntry, block: Block) -> Kind:
    match block:
        case Thinking() | RedactedThinking():
            return Kind.THINKING
        case ToolUse():
            return Kind.CALL
        case ToolResult():
            return Kind.RESULT
        case Image() | Document() | Opaque():
            return Kind.MEDIA
        case Text():
            if entry.message.role == "assistant":
                return Kind.ANSWER
            return Kind.PROMPT if is_request(entry) else Kind.CONTEXT


def _name(entry: MessageEntry, block: Block, calls: dict[str, ToolUse]) -> str:
    match block:
        case Text(text=text):
            return added_name(entry, text) or one_line(text)
        case ToolUse():
            return title_of(block)
        case ToolResult():
            call = calls.get(block.tool_use_id)
            return title_of(call) if call else "a result"
        case _:
            return type(block).__name__.lower()


def _id(block: Block) -> str:
    if isinstance(block, ToolUse):
        return block.id
    return block.tool_use_id if isinstance(block, ToolResult) else ""


def _texts(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Text | ToolResult):
            yield block.text
