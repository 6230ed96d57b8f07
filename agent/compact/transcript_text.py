"""A conversation as plain text, for a summariser that is given no tools (the notes' streaming path)."""

from collections.abc import Sequence

from agent.compact.prompt import compact_prompt, words
from agent.compact.ptl_retry import slim_message
from agent.protocol.blocks import Block, Text, ToolResult, ToolUse
from agent.protocol.messages import Message, user_message

RULE = "=" * 72


def transcript_request(
    messages: Sequence[Message], instructions: Sequence[str], *, scope: str = "", rejected: str = ""
) -> tuple[Message, ...]:
    """One user message: the record as text between rules, then the compact prompt."""
    record = "\n\n".join(_message_text(slim_message(message)) for message in messages)
    prompt = compact_prompt(instructions, scope=scope, rejected=rejected)
    return (user_message("\n\n".join([words("transcript_only"), RULE, record, RULE, prompt])),)


def _message_text(message: Message) -> str:
    return "\n".join(line for block in message.blocks if (line := _block_text(message.role, block)))


def _block_text(role: str, block: Block) -> str:
    match block:
        case Text():
            return f"[{role}] {block.text}"
        case ToolUse():
            arguments = ", ".join(f"{key}={str(value)[:400]!r}" for key, value in block.input.items())
            return f"[call] {block.name}({arguments})"
        case ToolResult():
            return f"[result{' error' if block.is_error else ''}] {block.text}"
        case _:
            return ""
