"""What a person has pinned: given back word for word after every compaction."""

from agent.compact.conversation import Conversation
from agent.compact.deps import Provider
from agent.compact.pin_notes import pin_note
from agent.protocol.messages import Message


def pinned(conversation: Conversation) -> Provider:
    """The provider of all pins, a message each."""

    async def provide() -> tuple[Message, ...]:
        return tuple(pin_note(pin) for pin in conversation.edits.pins)

    return provide
