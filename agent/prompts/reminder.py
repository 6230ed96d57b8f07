"""Text that ccagent adds to a conversation, marked so that the model does not take it for a person's words."""

from agent.protocol.messages import Message, user_message

TAG = "system-reminder"
CLOSE = f"\n</{TAG}>"


def reminder(text: str) -> str:
    """`text` in system-reminder tags; it may come from files and hooks, and a tag in it cannot end the mark early."""
    return f"<{TAG}>\n{kept_inside(text.strip())}{CLOSE}"


def kept_inside(text: str) -> str:
    """`text` as it stands between the tags."""
    for edge in ("<", "</"):
        text = text.replace(f"{edge}{TAG}", f"{edge} {TAG}")
    return text


def reminder_message(text: str) -> Message:
    """`text` as a user message of its own."""
    return user_message(reminder(text))
