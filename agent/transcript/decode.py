"""Lines back to entries: our own, Claude Code's of every version, and whatever else is a JSON object."""

import json
from typing import TypeAlias

import msgspec
from msgspec import Raw, Struct

from agent.protocol.blocks import (
    Block,
    Document,
    Image,
    RedactedThinking,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    block_from_json,
)
from agent.protocol.details import Details
from agent.protocol.errors import TranscriptError
from agent.protocol.messages import Message, Role, Usage
from agent.transcript.entries import AttachmentEntry, CompactBoundary, Entry, MessageEntry, MetaEntry, ToolDetails
from agent.transcript.lines import BLANKS, WireUsage, compact_metadata, relaxed

KnownBlock: TypeAlias = Text | Thinking | RedactedThinking | ToolUse | ToolResult | Image | Document
TOO_DEEP = "too-deep"
LINK_FIELDS = ("type", "uuid", "parentUuid", "isSidechain")


class _WireMessage(Struct, frozen=True):
    role: str = ""
    content: str | list[Raw] = ""
    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: Raw = Raw(b"null")


class _WireDetails(Struct, frozen=True):
    details: dict[str, Details]


class _Attached(Struct, frozen=True):
    type: str = ""
    role: str = "user"
    blocks: list[Raw] | None = None
    prompt: str | list[Raw] | None = None
    content: Raw = Raw(b"null")
    attached: Raw = Raw(b"[]")


class _Record(Struct, frozen=True, rename="camel"):
    type: str
    uuid: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    subtype: str | None = None
    timestamp: str = ""
    is_sidechain: bool | None = False
    is_meta: bool | None = False
    is_compact_summary: bool | None = False
    is_visible_in_transcript_only: bool | None = False
    message: _WireMessage | None = None
    tool_use_result: Raw = Raw(b"null")
    attachment: _Attached | None = None
    compact_metadata: Raw = Raw(b"null")


_records = msgspec.json.Decoder(_Record)


_known_blocks: msgspec.json.Decoder[KnownBlock] = msgspec.json.Decoder(KnownBlock)


def decode_entry(line: bytes) -> Entry:
    """The entry in `line`.

    A record whose shape we do not know becomes a MetaEntry with all its fields, one that is nested too deep to read an empty one. Raises TranscriptError when `line` is no JSON object.
    """
    try:
        return _decoded(line)
    except RecursionError:
        return MetaEntry(kind=TOO_DEEP)


def _decoded(line: bytes) -> Entry:
    line, record = _strict(line)
    if record is not None and record.uuid:
        if record.type in ("user", "assistant") and record.message is not None:
            return _message(record, record.uuid, record.message)
        if record.type == "attachment" and record.attachment is not None:
            return _attachment(record, record.uuid, record.attachment)
        if record.type == "system" and record.subtype == "compact_boundary":
            return _boundary(record, record.uuid)
    return _meta(line)


def _strict(line: bytes) -> tuple[bytes, _Record | None]:
    """The line and its record; the line scrubbed when it was no strict JSON, no record when its fields have odd types."""
    for reread in (False, True):
        text = relaxed(line) if reread else line
        if text is None:
            break
        try:
            text.decode()
            return text, _records.decode(text)
        except msgspec.ValidationError:
            if text.lstrip(BLANKS).startswith(b"{"):
                return text, None
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    raise TranscriptError(
        "A record of the transcript is no JSON object.", safe="The rest of the transcript is untouched."
    )


def _message(record: _Record, uuid: str, wire: _WireMessage) -> MessageEntry:
    role: Role = "assistant" if record.type == "assistant" else "system" if wire.role == "system" else "user"
    return MessageEntry(
        uuid=uuid,
        parent_uuid=record.parent_uuid,
        message=Message(role=role, blocks=_blocks(wire.content)),
        timestamp=record.timestamp,
        usage=_usage(wire.usage),
        message_id=wire.id or "",
        model=wire.model or "",
        stop_reason=wire.stop_reason or "",
        is_compact_summary=bool(record.is_compact_summary),
        is_meta=bool(record.is_meta),
        is_visible_in_transcript_only=bool(record.is_visible_in_transcript_only),
        is_sidechain=bool(record.is_sidechain),
        tool_details=_tool_details(record.tool_use_result),
    )


def _usage(raw: Raw) -> Usage | None:
    try:
        wire = msgspec.json.decode(raw, type=WireUsage | None)
    except msgspec.ValidationError:
        return None
    return wire.usage() if wire else None


def _tool_details(raw: Raw) -> ToolDetails:
    """Our own tools' details; the shapes of other writers are theirs."""
    try:
        wire = msgspec.json.decode(raw, type=_WireDetails | None)
    except msgspec.ValidationError:
        return ()
    return tuple(wire.details.items()) if wire else ()


def _blocks(content: str | list[Raw]) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Text(text=content),) if content else ()
    return tuple(block for raw in content if (block := _block(bytes(raw))) is not None)


def _block(raw: bytes) -> Block | None:
    """The block in `raw`; it forgets `raw` when it would be written the same, which halves what a long history weighs."""
    try:
        bare = _known_blocks.decode(raw)
        same = not bare.raw and msgspec.json.encode(bare) == raw
        return bare if same else msgspec.structs.replace(bare, raw=raw)
    except msgspec.DecodeError:
        pass
    try:
        return block_from_json(raw)
    except msgspec.DecodeError:
        text = json.loads(raw)
        return Text(text=text) if isinstance(text, str) else None


def _attachment(record: _Record, uuid: str, wire: _Attached) -> AttachmentEntry:
    return AttachmentEntry(
        uuid=uuid,
        parent_uuid=record.parent_uuid,
        kind=wire.type,
        message=_attached_message(wire),
        attached=_names(wire.attached),
        timestamp=record.timestamp,
        is_sidechain=bool(record.is_sidechain),
    )


def _attached_message(wire: _Attached) -> Message | None:
    """What the model saw of an attachment: ours in full; of Claude Code's, queued prompts and hook context."""
    if wire.blocks is not None:
        return Message(role="system" if wire.role == "system" else "user", blocks=_blocks(wire.blocks))
    if wire.type == "queued_command" and wire.prompt is not None:
        return Message(role="user", blocks=_blocks(wire.prompt))
    if wire.type == "hook_additional_context":
        return Message(role="user", blocks=_hook_context(wire.content))
    return None


def _names(raw: Raw) -> tuple[str, ...]:
    try:
        return msgspec.json.decode(raw, type=tuple[str, ...])
    except msgspec.ValidationError:
        return ()


def _hook_context(raw: Raw) -> tuple[Block, ...]:
    try:
        content = msgspec.json.decode(raw, type=str | list[str])
    except msgspec.ValidationError:
        return ()
    text = content if isinstance(content, str) else "\n".join(content)
    return (Text(text=text),) if text else ()


def _boundary(record: _Record, uuid: str) -> CompactBoundary:
    metadata = compact_metadata(record.compact_metadata)
    return CompactBoundary(
        uuid=uuid,
        logical_parent_uuid=record.logical_parent_uuid or record.parent_uuid,
        trigger="manual" if metadata.trigger == "manual" else "auto",
        pre_tokens=metadata.pre_tokens,
        post_tokens=metadata.post_tokens,
        timestamp=record.timestamp,
        anchor_uuid=metadata.anchor_uuid,
        kept=metadata.kept,
        segment=metadata.ends,
        duration_ms=metadata.duration_ms,
        discovered_tools=metadata.pre_compact_discovered_tools,
        messages_summarized=metadata.messages_summarized,
        batch=metadata.batch_records,
        model=metadata.model,
        requests=metadata.requests,
        usage=None if metadata.usage is None else metadata.usage.usage(),
        cost=metadata.cost_usd,
        checked=metadata.checked,
        extractive=metadata.extractive,
    )


def _meta(line: bytes) -> MetaEntry:
    fields = msgspec.json.decode(line, type=dict[str, object])
    uuid, parent = fields.get("uuid"), fields.get("parentUuid")
    return MetaEntry(
        kind=str(fields.get("type", "")),
        fields={name: value for name, value in fields.items() if name not in LINK_FIELDS},
        uuid=uuid if isinstance(uuid, str) else "",
        parent_uuid=parent if isinstance(parent, str) else None,
        is_sidechain=fields.get("isSidechain") is True,
    )
