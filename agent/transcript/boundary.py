"""The records of one compaction, in their fixed order: boundary, summary, (what is kept, by reference), attachments."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from agent.protocol.clock import Ids
from agent.protocol.messages import Message
from agent.transcript.entries import AttachmentEntry, CompactBoundary, MessageEntry

ATTACHED = "compact_attachment"


class Compaction(Struct, frozen=True):
    """A whole compaction, to be written in one piece; until its last record is there it did not happen."""

    boundary: CompactBoundary
    summary: MessageEntry
    attachments: tuple[AttachmentEntry, ...]

    @property
    def entries(self) -> tuple[CompactBoundary | MessageEntry | AttachmentEntry, ...]:
        """The records in the order of the notes (buildPostCompactMessages); kept messages are not written again."""
        return (self.boundary, self.summary, *self.attachments)


def compaction(
    boundary: CompactBoundary, summary: Message, attachments: Sequence[Message], ids: Ids, *, kept_first: bool
) -> Compaction:
    """The records after `boundary`, each hung on the one before; kept messages stand before the summary if `kept_first`."""
    opening = MessageEntry(
        uuid=ids.new(),
        parent_uuid=boundary.uuid,
        message=summary,
        timestamp=boundary.timestamp,
        is_compact_summary=True,
        is_visible_in_transcript_only=True,
    )
    attached: list[AttachmentEntry] = []
    for message in attachments:
        parent = attached[-1].uuid if attached else opening.uuid
        attached.append(
            AttachmentEntry(
                uuid=ids.new(), parent_uuid=parent, kind=ATTACHED, message=message, timestamp=boundary.timestamp
            )
        )
    anchor = (boundary.uuid if kept_first else opening.uuid) if boundary.kept else ""
    cut = msgspec.structs.replace(boundary, anchor_uuid=anchor, batch=1 + len(attached))
    return Compaction(boundary=cut, summary=opening, attachments=tuple(attached))
