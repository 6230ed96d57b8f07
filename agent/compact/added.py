"""What stands in a conversation that nobody typed, named for what it is."""

from agent.compact.pins import PINNED
from agent.compact.prompt import words
from agent.compact.restore import restored_path
from agent.prompts.environment import CONTEXT
from agent.prompts.reminder import TAG
from agent.protocol.text import one_line
from agent.transcript.entries import MessageEntry


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
    )
    first = next((line for line in said.splitlines() if line.strip()), "")
    return next((name for opening, name in ours if said.startswith(opening)), one_line(first).rstrip(":"))
