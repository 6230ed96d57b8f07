"""What every compaction gives back, in this order; a later feature only adds its provider here."""

from agent.compact.conversation import Conversation
from agent.compact.deps import Provider
from agent.compact.invoked_skills import invoked_skills
from agent.compact.pins import pinned
from agent.context.frame import Frame
from agent.protocol.meter import Windows
from agent.session.opening import Opening


def compact_providers(
    opening: Opening, conversation: Conversation, windows: Windows, frame: Frame
) -> tuple[Provider, ...]:
    """Environment and memory, what skills and commands said, and what the person has pinned."""
    skills = invoked_skills(conversation, window=windows.compaction, tokenizer=frame.tokenizer)
    return (opening.again, skills, pinned(conversation))
