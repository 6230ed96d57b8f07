"""What is said when the context refills as fast as it is compacted: what fills it, by name."""

from agent.compact.added import added_messages, added_names
from agent.compact.deps import CompactDeps
from agent.context.breakdown import breakdown
from agent.context.sources import Contents
from agent.protocol.errors import CompactUnavailable

NAMED = 3  # rows of /context, and as many single items


def thrashing_error(deps: CompactDeps) -> CompactUnavailable:
    """The error that stops the run, naming the largest sources and items of the context."""
    return CompactUnavailable(
        "Autocompact is thrashing: the context refilled to the limit right after each of the last three compactions. "
        f"It is filled by {_contributors(deps)}.",
        safe="Nothing is lost.",
        do="/context shows all of it; read less at a time, or /compact or /clear to go on.",
    )


def _contributors(deps: CompactDeps) -> str:
    conversation, frame = deps.conversation, deps.frame
    view = conversation.view()
    contents = Contents(
        system=frame.system,
        tools=frame.tools,
        messages=[entry.message for entry in view],
        attachments=added_messages(view),
        names=added_names(view),
    )
    parts = breakdown(contents, deps.reading(), conversation.meter.counter)
    rows = sorted((row for row in parts.categories if row.kind == "used"), key=lambda row: -row.tokens)[:NAMED]
    sources = ", ".join(f"{row.name} {row.tokens:,}" for row in rows)
    items = ", ".join(f"{item.name} ~{item.tokens:,}" for item in parts.largest[:NAMED])
    return f"{sources} tokens; the largest items are {items}"
