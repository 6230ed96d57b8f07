"""The instructions of skills and custom commands that were used, given back after a compaction (notes: 5K tokens each, 25K in all)."""

from collections.abc import Sequence

from agent.compact.conversation import Conversation
from agent.compact.deps import Provider
from agent.compact.restore import WINDOW_SHARE, head_within
from agent.prompts.reminder import reminder_message
from agent.protocol.messages import Message
from agent.tokens.features import estimate_text
from agent.transcript.entries import INVOKED_SKILL, AttachmentEntry, Entry, MessageEntry
from agent.transcript.view import screen_view

SKILL_TOKENS = 5_000  # design note 001, post-compact restore
TOTAL_TOKENS = 25_000
LEAST_PART = 1_000  # tokens; less than this of a long one tells nobody how to do it


def invoked_skills(conversation: Conversation, *, window: int, tokenizer: str) -> Provider:
    """The provider of what was invoked in the conversation: the latest use of each, newest first, within the budget for `window` tokens.

    A long one is cut at its end: what a skill is for stands at its head.
    """

    async def provide() -> tuple[Message, ...]:
        transcript = conversation.transcript
        left = min(TOTAL_TOKENS, window // WINDOW_SHARE)
        given: list[Message] = []
        for line, text in reversed(_latest(screen_view(transcript.entries(), transcript.leaf))):
            room = min(SKILL_TOKENS, left)
            shown, partial = head_within(text, room, tokenizer)
            if partial and room < LEAST_PART:
                continue
            left -= estimate_text(shown, tokenizer)
            given.insert(0, reminder_message(_told(line, shown, partial)))
        return tuple(given)

    return provide


def _latest(entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """The line and the instructions of each command's latest use, in order of use."""
    lines = {entry.uuid: entry.message.text for entry in entries if isinstance(entry, MessageEntry)}
    found: dict[str, tuple[str, str]] = {}
    for entry in entries:
        if isinstance(entry, AttachmentEntry) and entry.kind == INVOKED_SKILL and entry.message is not None:
            line = lines.get(entry.parent_uuid or "", "").strip()
            name = line.split()[0] if line else ""
            found.pop(name, None)
            found[name] = (line, entry.message.text)
    return list(found.values())


def _told(line: str, text: str, partial: bool) -> str:
    note = " (the beginning of them)" if partial else ""
    return f"The instructions of `{line}`, which the user has used before{note}. They are not a new request.\n\n{text}"
