"""The messages after a boundary, in the notes' fixed order: summary, kept messages, attachments, hook results."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from agent.compact.prompt import words
from agent.protocol.messages import Message, user_message
from agent.transcript.entries import MessageEntry


class PostCompact(Struct, frozen=True, kw_only=True):
    """What follows the boundary."""

    summary: Message
    kept: tuple[MessageEntry, ...]
    attachments: tuple[Message, ...]
    hook_results: tuple[Message, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """buildPostCompactMessages of design note 000 section 3, without the boundary itself."""
        return (self.summary, *(entry.message for entry in self.kept), *self.attachments, *self.hook_results)


def summary_message(summary: str, words_of_user: str, transcript: Path) -> Message:
    """The summary as the user message that opens the compacted history, marked as background and not as an order."""
    said = f"\n{words_of_user}\n" if words_of_user else ""
    return user_message(words("continuation").format(summary=summary, user_words=said, transcript=transcript))


def go_on_message() -> Message:
    """Tells the model that its tool loop goes on."""
    return user_message(f"<system-reminder>\n{words('go_on')}\n</system-reminder>")


def hook_context(texts: Sequence[str]) -> tuple[Message, ...]:
    """What SessionStart(compact) hooks want the model to know."""
    return tuple(user_message(f"<system-reminder>\n{text}\n</system-reminder>") for text in texts if text.strip())
