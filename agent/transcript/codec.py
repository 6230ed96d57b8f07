"""Records to bytes and back, in the shapes that viewers of Claude Code transcripts read (reference 6.2, 6.3)."""

from typing import assert_never

from msgspec import Raw, Struct

from agent.protocol.blocks import Block, block_to_json
from agent.protocol.text import to_json
from agent.transcript.entries import AttachmentEntry, CompactBoundary, Entry, MessageEntry, MetaEntry


class Stamp(Struct, frozen=True):
    """What every record of one session says about where it was written."""

    session_id: str
    cwd: str
    version: str
    git_branch: str = ""


def encode_entry(entry: Entry, stamp: Stamp) -> bytes:
    """The line for `entry`, newline included; blocks with the API's own bytes are written with those bytes."""
    match entry:
        case MessageEntry():
            record = _link(entry, stamp) | _message_fields(entry)
        case AttachmentEntry():
            record = _link(entry, stamp) | _attachment_fields(entry)
        case CompactBoundary():
            record = _link(entry, stamp) | _boundary_fields(entry)
        case MetaEntry():
            record = _meta_record(entry, stamp)
        case _:
            assert_never(entry)
    return to_json(record) + b"\n"


def _link(entry: MessageEntry | AttachmentEntry | CompactBoundary | MetaEntry, stamp: Stamp) -> dict[str, object]:
    """The fields that all links of the chain share."""
    return {
        "parentUuid": entry.parent_uuid,
        "isSidechain": not isinstance(entry, CompactBoundary) and entry.is_sidechain,
        "userType": "external",
        "cwd": stamp.cwd,
        "sessionId": stamp.session_id,
        "version": stamp.version,
        "gitBranch": stamp.git_branch,
        "uuid": entry.uuid,
    }


def _message_fields(entry: MessageEntry) -> dict[str, object]:
    kind = "assistant" if entry.message.role == "assistant" else "user"
    record: dict[str, object] = {"type": kind, "message": _wire_message(entry), "timestamp": entry.timestamp}
    flags = {
        "isMeta": entry.is_meta,
        "isCompactSummary": entry.is_compact_summary,
        "isVisibleInTranscriptOnly": entry.is_visible_in_transcript_only,
    }
    record |= {name: True for name, on in flags.items() if on}
    if entry.tool_details:
        record["toolUseResult"] = {"details": dict(entry.tool_details)}
    return record


def _wire_message(entry: MessageEntry) -> dict[str, object]:
    if entry.message.role != "assistant":
        return {"role": entry.message.role, "content": raw_blocks(entry.message.blocks)}
    message: dict[str, object] = {
        "id": entry.message_id,
        "type": "message",
        "role": "assistant",
        "model": entry.model,
        "content": raw_blocks(entry.message.blocks),
        "stop_reason": entry.stop_reason or None,
        "stop_sequence": None,
    }
    if entry.usage is not None:
        message["usage"] = entry.usage.record()
    return message


def raw_blocks(blocks: tuple[Block, ...]) -> list[Raw]:
    """The blocks as the bytes to replay; a line break between JSON tokens would end the record, so it becomes a space."""
    return [Raw(block_to_json(block).replace(b"\r", b" ").replace(b"\n", b" ")) for block in blocks]


def _attachment_fields(entry: AttachmentEntry) -> dict[str, object]:
    body: dict[str, object] = {"type": entry.kind}
    if entry.message is not None:
        body |= {"role": entry.message.role, "blocks": raw_blocks(entry.message.blocks)}
    if entry.attached:
        body["attached"] = entry.attached
    return {"type": "attachment", "attachment": body, "timestamp": entry.timestamp}


def _boundary_fields(entry: CompactBoundary) -> dict[str, object]:
    metadata: dict[str, object] = {
        "trigger": entry.trigger,
        "preTokens": entry.pre_tokens,
        "postTokens": entry.post_tokens,
        "durationMs": entry.duration_ms,
        "messagesSummarized": entry.messages_summarized,
        "preCompactDiscoveredTools": entry.discovered_tools,
        "batchRecords": entry.batch,
    }
    if entry.model:
        metadata["model"] = entry.model
    if entry.requests != 1:
        metadata["requests"] = entry.requests
    if entry.usage is not None:
        metadata["usage"] = entry.usage.record()
    if entry.cost is not None:
        metadata["costUsd"] = entry.cost
    if entry.checked is not None:
        metadata["checked"] = entry.checked
    if entry.extractive:
        metadata["extractive"] = True
    ends = entry.segment or ((entry.kept[0], entry.kept[-1]) if entry.kept else None)
    if ends:
        metadata["preservedSegment"] = {"headUuid": ends[0], "anchorUuid": entry.anchor_uuid, "tailUuid": ends[1]}
    if entry.kept:
        metadata["preservedMessages"] = {
            "anchorUuid": entry.anchor_uuid,
            "uuids": entry.kept,
            "allUuids": entry.kept,
        }
    return {
        "type": "system",
        "subtype": "compact_boundary",
        "logicalParentUuid": entry.logical_parent_uuid,
        "content": "Conversation compacted",
        "level": "info",
        "compactMetadata": metadata,
        "timestamp": entry.timestamp,
    }


def _meta_record(entry: MetaEntry, stamp: Stamp) -> dict[str, object]:
    if entry.uuid:
        return _link(entry, stamp) | {"type": entry.kind} | entry.fields
    return {"type": entry.kind, "sessionId": stamp.session_id} | entry.fields
