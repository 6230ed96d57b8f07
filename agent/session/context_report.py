"""What fills the context, from the same sources and the same number that meter and trigger use."""

from agent.context.breakdown import breakdown
from agent.context.floor import floor_notice
from agent.context.render import render_context
from agent.context.sources import Contents, MemoryText
from agent.session.state import State


async def context_report(state: State) -> str:
    """The Markdown of /context."""
    frame = state.parts.frame
    reading = state.conversation.reading(frame)
    parts = breakdown(await _contents(state), reading, state.conversation.meter.counter)
    return render_context(parts, reading, frame.model)


def floor_line(state: State) -> str | None:
    """One itemised line when system prompt, tools and memory alone take most of the threshold, else None."""
    frame = state.parts.frame
    tiers = state.conversation.reading(frame).tiers
    return floor_notice(frame.system, frame.tools, _memory(state), tiers, state.conversation.meter.counter)


async def _contents(state: State) -> Contents:
    frame = state.parts.frame
    view = state.conversation.view()
    added = [entry.message for entry in view if entry.is_meta and not entry.message.tool_results]
    opening = next((message for message in added if state.builder.opening.is_context(message)), None)
    return Contents(
        system=frame.system,
        tools=frame.tools,
        messages=[entry.message for entry in view],
        system_context=state.builder.opening.surroundings if opening else "",
        memory=_memory(state) if opening else (),
        attachments=[message for message in added if message is not opening],
    )


def _memory(state: State) -> tuple[MemoryText, ...]:
    return tuple(MemoryText(str(file.path), file.text) for file in state.builder.opening.memory().files)
