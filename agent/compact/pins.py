"""What a person has pinned: given back word for word after every compaction."""

from agent.compact.conversation import Conversation
from agent.compact.deps import Provider
from agent.prompts.reminder import reminder_message
from agent.protocol.messages import Message

PINNED = "The user has pinned this, word for word:"


def pinned(conversation: Conversation) -> Provider:
    """The provider of all pins as one message; nothing when there are none."""

    async def provide() -> tuple[Message, ...]:
        pins = conversation.edits.pins
        if not pins:
            return ()
        texts = [f"{pin.name}:\n{pin.text}" if pin.spot else pin.text for pin in pins]
        return (reminder_message("\n\n".join([PINNED, *texts])),)

    return provide
