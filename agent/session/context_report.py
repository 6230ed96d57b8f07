"""What fills the context, from the same sources and the same number that meter and trigger use."""

from agent.compact.added import added_messages, added_names
from agent.compact.conversation import Conversation
from agent.compact.way_out import context_way_out
from agent.context.breakdown import LARGEST, Item, breakdown, largest_items
from agent.context.edits import Spot, has_thinking, is_thinking, spot_of
from agent.context.floor import floor_notice
from agent.context.frame import Frame
from agent.context.render import render_context
from agent.context.sources import Contents, MemoryText
from agent.protocol.events import Emit
from agent.protocol.meter import Reading
from agent.session.state import State

MANY = 100  # items of /context all
HINT = "`/context pin N`, `drop N` or `shrink N` changes an item; `/context undo` takes it back."


async def context_report(state: State, emit: Emit, *, most: int = LARGEST) -> str:
    """The Markdown of /context, with the `most` largest items."""
    frame = state.parts.frame
    reading = state.conversation.reading(frame)
    parts = breakdown(_contents(state), reading, state.conversation.meter.counter, most=most)
    marks = [_mark(state, item) for item in parts.largest]
    forecasts = [_forecast(item, reading, frame) for item in parts.largest]
    advice = await context_way_out(state.deps(emit).compact, reading)
    return render_context(parts, reading, frame.model, marks, forecasts, HINT, way_out=advice)


def context_items(state: State) -> tuple[Item, ...]:
    """The items with the numbers that `/context all` gives them."""
    return largest_items(_contents(state), state.conversation.meter.counter, most=MANY)


def _forecast(item: Item, reading: Reading, frame: Frame) -> str:
    """What leaving `item` out would save in each request, and the most that the next one then writes to the cache again."""
    if item.place is None or reading.used is None:
        return ""
    again, price = max(0, reading.used - frame.overhead - item.tokens), frame.info.price
    if price is None:
        return f"~{item.tokens:,} less a request, ~{again:,} written again once"
    return f"${item.tokens * price.read / 1e6:.4f} less a request, ${again * price.write_5m / 1e6:.4f} once"


def _mark(state: State, item: Item) -> str:
    """What was done to an item."""
    if item.place is None:
        return ""
    edits, spot = state.conversation.edits, spot_at(state.conversation, item.place)
    if spot in {pin.spot for pin in edits.pins}:
        return "pinned"
    if spot in edits.by_person:
        return "edited by you"
    return "cleared" if spot in edits.texts or spot in state.conversation.server_cleared else ""


def spot_at(conversation: Conversation, place: tuple[int, int]) -> Spot:
    """The spot of a block as the view numbers it: where an answer's thinking is no longer sent, the record has more blocks."""
    number, index = place
    recorded = conversation.recorded()[number]
    bare = not has_thinking(conversation.sent()[number].message)
    shown = [at for at, block in enumerate(recorded.message.blocks) if not (bare and is_thinking(block))]
    return spot_of(recorded, shown[index])


def floor_line(state: State) -> str | None:
    """One itemised line when system prompt, tools and memory alone take most of the threshold, else None."""
    frame = state.parts.frame
    tiers = state.conversation.reading(frame).tiers
    return floor_notice(frame.system, frame.tools, _memory(state), tiers, state.conversation.meter.counter)


def _contents(state: State) -> Contents:
    frame = state.parts.frame
    view = state.conversation.view()
    expected = state.conversation.expected
    added = [*added_messages(view), *expected]
    opening = next((message for message in added if state.builder.opening.is_context(message)), None)
    memory = _memory(state) if opening else ()
    return Contents(
        system=frame.system,
        tools=frame.tools,
        messages=[*(entry.message for entry in view), *expected],
        system_context=state.builder.opening.surroundings if opening else "",
        memory=memory,
        attachments=[message for message in added if message is not opening],
        unlisted=(*expected, opening) if opening and memory else expected,
        names=added_names(view),
    )


def _memory(state: State) -> tuple[MemoryText, ...]:
    return tuple(MemoryText(str(file.path), file.text) for file in state.builder.opening.memory().files)
