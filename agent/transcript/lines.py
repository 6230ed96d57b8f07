"""Reads lines that anyone may have written: whole, cut, fused, padded with NULs, or no records at all."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise

import msgspec
from msgspec import Raw, Struct

from agent.protocol.messages import Usage
from agent.protocol.results import Checked
from agent.protocol.text import to_json

BLANKS = b"\0 \t\r\n"
RECORD_START = re.compile(
    rb'\{"(?:parentUuid":|uuid":|type":"(?:user|assistant|system|attachment|progress|leaf|summary)")'
)


class MessageHead(Struct, frozen=True, gc=False):
    """What is needed of a message without its content."""

    id: str | None = None


class Segment(Struct, frozen=True, rename="camel", gc=False):
    """Kept messages, told by their ends."""

    head_uuid: str = ""
    anchor_uuid: str = ""
    tail_uuid: str = ""


class Preserved(Struct, frozen=True, rename="camel", gc=False):
    """Kept messages, told one by one."""

    anchor_uuid: str = ""
    uuids: tuple[str, ...] = ()


class WireUsage(Struct, frozen=True):
    """An answer's usage under the API's names, as far as a record tells it."""

    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cache_read_input_tokens: int | None = 0
    cache_creation_input_tokens: int | None = 0

    def usage(self) -> Usage:
        """The same in our words."""
        return Usage(
            input=self.input_tokens or 0,
            output=self.output_tokens or 0,
            cache_read=self.cache_read_input_tokens or 0,
            cache_creation=self.cache_creation_input_tokens or 0,
        )


class CompactMetadata(Struct, frozen=True, rename="camel", gc=False):
    """The boundary's own words (reference 6.3); `batch_records` (records of the same write after it) and what follows are ours."""

    trigger: str = "auto"
    pre_tokens: int = 0
    post_tokens: int = 0
    duration_ms: int = 0
    messages_summarized: int = 0
    pre_compact_discovered_tools: tuple[str, ...] = ()
    preserved_segment: Segment | None = None
    preserved_messages: Preserved | None = None
    batch_records: int = 0
    model: str = ""
    requests: int = 1
    usage: WireUsage | None = None
    cost_usd: float | None = None
    checked: Checked | None = None
    extractive: bool = False

    @property
    def anchor_uuid(self) -> str:
        """What the kept messages stand after."""
        known = self.preserved_messages or self.preserved_segment
        return known.anchor_uuid if known else ""

    @property
    def kept(self) -> tuple[str, ...]:
        """The kept uuids, when they are told one by one."""
        return self.preserved_messages.uuids if self.preserved_messages else ()

    @property
    def ends(self) -> tuple[str, str] | None:
        """The first and the last kept uuid, when only those are told."""
        if self.kept or self.preserved_segment is None:
            return None
        return self.preserved_segment.head_uuid, self.preserved_segment.tail_uuid


class Head(Struct, frozen=True, rename="camel", gc=False):
    """A record without its body: what the chain needs to know of it (reference 6.2)."""

    type: str
    uuid: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    subtype: str | None = None
    is_sidechain: bool | None = False
    is_compact_summary: bool | None = False
    message: MessageHead | None = None
    leaf_uuid: str | None = None
    cwd: str | None = None
    compact_metadata: Raw = Raw(b"null")

    @property
    def is_boundary(self) -> bool:
        """Whether it is a compaction boundary."""
        return self.type == "system" and self.subtype == "compact_boundary" and bool(self.uuid)

    @property
    def is_message(self) -> bool:
        """Whether it is a user or assistant message."""
        return self.type in ("user", "assistant") and self.message is not None and bool(self.uuid)

    @property
    def metadata(self) -> CompactMetadata:
        """What the boundary says about its compaction."""
        return compact_metadata(self.compact_metadata)


class Found(Struct, frozen=True, gc=False):
    """Where a record stands in the file (bytes), and its head; no head when the line cannot be read.

    `torn` is such a line that has no end: what a crash left of the last record.
    """

    offset: int
    length: int
    head: Head | None
    torn: bool = False


def compact_metadata(raw: Raw) -> CompactMetadata:
    """`raw` understood, or a boundary that says nothing when its shape is not ours to know."""
    try:
        return msgspec.json.decode(raw, type=CompactMetadata | None) or CompactMetadata()
    except msgspec.ValidationError:
        return CompactMetadata()


_heads = msgspec.json.Decoder(Head)


def read_head(line: bytes) -> Head | None:
    """The head of the record in `line`, or None when it holds no record."""
    for reread in (False, True):
        text = relaxed(line) if reread else line
        if text is None:
            return None
        with suppress(msgspec.DecodeError, RecursionError):
            return _heads.decode(text)
    return None


def relaxed(line: bytes) -> bytes | None:
    """`line` as strict JSON of one object (NULs, bad UTF-8 and lone surrogates scrubbed), or None when it is none."""
    try:
        value = json.loads(line.strip(BLANKS).decode("utf-8", "replace"))
        return to_json(value) if isinstance(value, dict) else None
    except (ValueError, RecursionError, OverflowError):
        return None


def records_in(line: bytes, offset: int) -> Iterator[Found]:
    """The records of one line at `offset`: one as a rule; several when records were fused; a headless one for what is lost."""
    head = read_head(line)
    if head is not None:
        yield Found(offset, len(line), head)
    elif line.strip(BLANKS):
        yield from _salvaged(line, offset)


def _salvaged(line: bytes, offset: int) -> Iterator[Found]:
    starts = [match.start() for match in RECORD_START.finditer(line)]
    lost = not starts or bool(line[: starts[0]].strip(BLANKS))
    for start, end in pairwise([*starts, len(line)]):
        head = read_head(line[start:end])
        if head is None:
            lost = True
        else:
            yield Found(offset + start, end - start, head)
    if lost:
        yield Found(offset, len(line), None, torn=not line.endswith(b"\n"))


def scan(lines: Iterator[bytes]) -> Iterator[Found]:
    """Every record of the `lines` of a file, in order."""
    offset = 0
    for line in lines:
        yield from records_in(line, offset)
        offset += len(line)
