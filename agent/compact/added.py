"""What stands in a conversation that nobody typed, named for what it is."""

from collections.abc import Sequence

from agent.compact.pin_notes import PINNED, UNPINNED
from agent.compact.prompt import words
from agent.compact.restore import restored_path
from agent.prompts.environment import CONTEXT
from agent.prompts.reminder import TAG
from agent.protocol.blocks import Text
from agent.protocol.messages import Message
from agent.protocol.text import one_line
from agent.transcript.entries import MessageEntry


def added_messages(view: Sequence[MessageEntry]) -> list[Message]:
    """The messages of `view` that nobody typed and no tool gave."""
    return [entry.message for entry in view if entry.is_meta and not entry.message.tool_results]


def added_names(view: Sequence[MessageEntry]) -> dict[tuple[int, int], str]:
    """The names of all texts of `view` that nobody typed, by (message, block)."""
    return {
        (number, index): name
        for number, entry in enumerate(view)
        for index, block in enumerate(entry.message.blocks)
        if isinstance(block, Text) and (name := added_name(entry, block.text))
    }


def added_name(entry: MessageEntry, text: str) -> str | None:
    """The name of `text`, a block of `entry`; its first line where it is none of ours, None where a person typed it."""
    if entry.is_compact_summary:
        return "summary"
    if not entry.is_meta:
        return None
    said = text.removeprefix(f"<{TAG}>\n")
    if path := restored_path(said):
        return f"restored file {path}"
    ours = (
        (CONTEXT, "environment and memory"),
        (words("ledger"), "ledger"),
        (words("names"), "names in use"),
        (PINNED, "pins"),
        (UNPINNED, "unpinned"),
    )
    first = next((line for line in said.splitlines() if line.strip()), "")
    return next((name for opening, name in ours if said.startswith(opening)), one_line(first).rstrip(":"))
