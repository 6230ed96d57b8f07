"""What a transcript is made of: messages, attachments, compaction boundaries, and markers that no model sees."""

from typing import TypeAlias

from msgspec import Struct, field

from agent.protocol.details import Details
from agent.protocol.messages import Message, Usage
from agent.protocol.results import Checked, Trigger

SYNTHETIC_MODEL = "<synthetic>"  # Claude Code's model name for answers that no model gave (API errors)

ToolDetails: TypeAlias = tuple[tuple[str, Details], ...]
"""What tools showed a person, by tool_use_id, in call order."""


class MessageEntry(Struct, frozen=True, kw_only=True):
    """One API message on record; `timestamp` is ISO 8601 in UTC, `message_id` the API's own id of an answer.

    `is_meta` goes to the model but was not typed by the person; `is_visible_in_transcript_only` is not drawn as a prompt.
    """

    uuid: str
    parent_uuid: str | None
    message: Message
    timestamp: str = ""
    usage: Usage | None = None
    message_id: str = ""
    model: str = ""
    stop_reason: str = ""
    is_compact_summary: bool = False
    is_meta: bool = False
    is_visible_in_transcript_only: bool = False
    is_sidechain: bool = False
    tool_details: ToolDetails = ()


class AttachmentEntry(Struct, frozen=True, kw_only=True):
    """Context put in by the engine, not typed by anyone; `message` is what the model sees of it, None for nothing.

    `attached` names for the person what a prompt's mentions brought along.
    """

    uuid: str
    parent_uuid: str | None
    kind: str
    message: Message | None
    attached: tuple[str, ...] = ()
    timestamp: str = ""
    is_sidechain: bool = False


class CompactBoundary(Struct, frozen=True, kw_only=True):
    """Where a compaction cut the history: a new root; what was before it is reached through `logical_parent_uuid`.

    `kept` are the uuids that stand verbatim after `anchor_uuid` (the summary, or the boundary itself when they precede the summary);
    a foreign boundary may give only the `segment` (first, last) of them. `batch` is how many records its write holds after this
    one: until they are all there, the compaction did not happen. Tokens and milliseconds are plain counts; `model` is who counted
    them and was asked for the summary ("" unknown), `usage` what that took in `requests` and `cost` its US dollars, None for unknown. `checked` is None where nobody looked; `extractive`: no model made the summary.
    """

    uuid: str
    logical_parent_uuid: str | None
    trigger: Trigger
    pre_tokens: int
    post_tokens: int
    timestamp: str = ""
    parent_uuid: str | None = None
    anchor_uuid: str = ""
    kept: tuple[str, ...] = ()
    segment: tuple[str, str] | None = None
    duration_ms: int = 0
    discovered_tools: tuple[str, ...] = ()
    messages_summarized: int = 0
    batch: int = 0
    model: str = ""
    requests: int = 1
    usage: Usage | None = None
    cost: float | None = None
    checked: Checked | None = None
    extractive: bool = False


class MetaEntry(Struct, frozen=True, kw_only=True):
    """A record that is no message: title, mode, leaf, last prompt, progress, and every type we do not know.

    Some (Claude Code's `system` and `progress`) have a uuid and are links of the chain. `fields` holds the record's other fields.
    """

    kind: str
    fields: dict[str, object] = field(default_factory=dict)
    uuid: str = ""
    parent_uuid: str | None = None
    is_sidechain: bool = False


Entry: TypeAlias = MessageEntry | AttachmentEntry | CompactBoundary | MetaEntry

PROMPT_CONTEXT = "prompt_context"
"""The kind of the AttachmentEntry that belongs to the prompt after it: files it mentions, what hooks say to it."""

INVOKED_SKILL = "invoked_skill"
"""The kind of the AttachmentEntry after a prompt that is a skill or custom command: what it stands for."""

CUSTOM_TITLE = "custom-title"
"""The kind of the MetaEntry that holds the person's own title for the session, in its field `customTitle`."""

LEAF = "leaf"
"""The kind of the MetaEntry that undo and rewind append; its field `leafUuid` is where the conversation now ends, or null."""

MOVED_FROM = "movedFrom"
"""The field of a leaf record that tells where the conversation ended before, or null: what can be redone is read from it."""

CONTEXT_EDITS = "context-edits"
"""The kind of the MetaEntry that holds every decision on what is sent otherwise than it was recorded (agent/context/edits.py)."""

AI_TITLE = "ai-title"
"""The kind of the MetaEntry that holds a title from elsewhere (a hook), in its field `aiTitle`; a person's own comes first."""

SESSION_MODEL = "session-model"
"""The kind of the MetaEntry that holds the model a person has chosen for the session, in its field `model`; else the last answer tells it."""

FORKED_FROM = "forked-from"
"""The kind of the MetaEntry that a copy holds; its field `sources` names the files it was copied from, the latest last."""

METADATA = (
    CUSTOM_TITLE,
    AI_TITLE,
    "permission-mode",
    "last-prompt",
    "agent-name",
    "tag",
    CONTEXT_EDITS,
    SESSION_MODEL,
    FORKED_FROM,
)
"""Markers whose latest value describes the session; they are written again after a boundary, so that the file's end tells them."""
