"""The items of /context: pinned, dropped or shrunk by a person, who is told what that saves and costs, and can take it back."""

from typing import assert_never

import msgspec
from msgspec import Struct

from agent.compact.conversation import Undo
from agent.compact.old_results import text_of
from agent.compact.pin_notes import pin_note
from agent.compact.put_aside import kept_file
from agent.context.breakdown import Item
from agent.context.edits import Pin, Spot, is_thinking, spot_of
from agent.context.rewrite import dying_thinking
from agent.protocol.blocks import Block, Document, Image, Opaque, RedactedThinking, Text, Thinking, ToolResult, ToolUse
from agent.protocol.errors import FilesError, UsageError
from agent.protocol.text import counted
from agent.session.context_report import spot_at
from agent.session.state import State
from agent.tools.preview import preview
from agent.transcript.entries import MessageEntry

DROPPED = "[Left out by the user]"
RESTORED = "The item stands in the conversation again."
SHRUNK_CHARS = 1_500
PIN_SHARE = 8  # all pins together take at most an eighth of the way to the threshold


class Target(Struct, frozen=True):
    """An item as the person named it: its entry, its place in the view, and the block."""

    item: Item
    spot: Spot
    place: int
    block: Block


def target(state: State, items: tuple[Item, ...], argument: str) -> Target:
    """The item with number `argument` of the list as /context shows it; raises UsageError."""
    if not argument.isdecimal() or not 1 <= int(argument) <= len(items):
        raise UsageError(
            f"There is no item {argument or '(none given)'}.", do="/context lists the items with their numbers."
        )
    item = items[int(argument) - 1]
    if item.place is None:
        raise UsageError(
            f"{item.name} is read anew from its file each time.", do="Edit the file, or exclude it in settings."
        )
    place, index = item.place
    block = state.conversation.sent()[place].message.blocks[index]
    return Target(item, spot_at(state.conversation, item.place), place, block)


def pin(state: State, chosen: Target) -> str:
    """Keeps the item word for word through every clearing and compaction."""
    text = words_of(chosen.block)
    if not text:
        raise UsageError(f"{chosen.item.name} has no words that could be pinned.")
    return add_pin(state, Pin(spot=chosen.spot, name=chosen.item.name, text=text))


def add_pin(state: State, new: Pin) -> str:
    """Puts a pin on record; raises UsageError when it is there already, or all of them would take too much room."""
    conversation, frame = state.conversation, state.parts.frame
    pins = (*conversation.edits.pins, new)
    if any(known.spot == new.spot and known.text == new.text for known in conversation.edits.pins):
        raise UsageError("This is pinned already.")
    room = conversation.reading(frame).tiers.threshold // PIN_SHARE
    size = conversation.meter.counter.messages(pin_note(known) for known in pins)
    if size > room:
        raise UsageError(
            f"All pins together would take ~{size:,} tokens; there is room for {room:,}.", do="/unpin frees some."
        )
    conversation.edit(msgspec.structs.replace(conversation.edits, pins=pins), frame)
    tokens = conversation.meter.estimate([pin_note(new)], 0)
    price = frame.info.price
    each = _dollars(tokens, price.read if price else None)
    return f"Pinned: {new.name}. It stays word for word through every compaction: ~{tokens:,} tokens of each request{each}."


def unpin(state: State, argument: str) -> str:
    """Takes pin number `argument`, or all of them, away."""
    conversation, pins = state.conversation, state.conversation.edits.pins
    if argument == "all":
        left: tuple[Pin, ...] = ()
    elif argument.isdecimal() and 1 <= int(argument) <= len(pins):
        left = (*pins[: int(argument) - 1], *pins[int(argument) :])
    else:
        raise UsageError("Which pin?", do="/pin lists the pins with their numbers; /unpin N or /unpin all.")
    conversation.edit(msgspec.structs.replace(conversation.edits, pins=left), state.parts.frame)
    return f"{len(pins) - len(left)} unpinned."


def drop(state: State, chosen: Target) -> str:
    """Leaves the item out of every later request; one line stays in its place."""
    place = _put_aside(state, chosen)
    return _replace(state, chosen, f"{DROPPED} {chosen.item.name.partition(': ')[2]}{place}")


def shrink(state: State, chosen: Target) -> str:
    """Keeps the two ends of the item and where the whole can be read."""
    text = words_of(chosen.block)
    if len(text) <= 2 * SHRUNK_CHARS:
        raise UsageError(f"{chosen.item.name} is too short to shrink.", do="/context drop leaves it out.")
    return _replace(
        state, chosen, preview("Bash", text, SHRUNK_CHARS, f"shrunk by the user{_put_aside(state, chosen)}")
    )


def take_back(state: State) -> str:
    """Undoes the latest drop or shrink."""
    conversation, frame = state.conversation, state.parts.frame
    edits, undo = conversation.edits, conversation.undo_edit
    if not edits.by_person:
        raise UsageError("There is nothing to take back.")
    if undo is not None and undo.after is edits and undo.leaf == conversation.transcript.leaf:
        conversation.edit(undo.before, frame)  # nothing was sent or said since: not even thinking is lost
        return RESTORED
    spot = edits.by_person[-1]
    view = conversation.recorded()
    place = next((at for at, entry in enumerate(view) if spot in _spots(entry)), len(view))
    stripped = dict.fromkeys((*edits.stripped, *dying_thinking(frame.info, conversation.sent(), place)))
    texts = {name: text for name, text in edits.texts.items() if name != spot}
    restored = msgspec.structs.replace(edits, texts=texts, by_person=edits.by_person[:-1], stripped=tuple(stripped))
    conversation.edit(restored, frame)
    return RESTORED


def words_of(block: Block) -> str:
    """The words of a block that can be pinned or put aside; empty for media and thinking."""
    match block:
        case Text():
            return block.text
        case ToolResult():
            return text_of(block)
        case ToolUse():
            return max((str(value) for value in block.input.values()), key=len, default="")
        case Thinking() | RedactedThinking() | Image() | Document() | Opaque():
            return ""
        case unreachable:
            assert_never(unreachable)


def _replace(state: State, chosen: Target, text: str) -> str:
    if is_thinking(chosen.block) or isinstance(chosen.block, Opaque):
        raise UsageError("Thinking cannot be edited: the API takes it whole or not at all.")
    conversation, frame = state.conversation, state.parts.frame
    edits = conversation.edits
    if chosen.spot in {known.spot for known in edits.pins}:
        raise UsageError(f"{chosen.item.name} is pinned.", do="/unpin it first.")
    dying = dying_thinking(frame.info, conversation.sent(), chosen.place)
    used = conversation.reading(frame).used
    conversation.edit(
        msgspec.structs.replace(
            edits,
            texts=edits.texts | {chosen.spot: text},
            by_person=(*(spot for spot in edits.by_person if spot != chosen.spot), chosen.spot),
            stripped=tuple(dict.fromkeys((*edits.stripped, *dying))),
        ),
        frame,
    )
    conversation.undo_edit = Undo(before=edits, after=conversation.edits, leaf=conversation.transcript.leaf)
    return _receipt(state, used, len(dying))


def _receipt(state: State, before: int | None, dying: int) -> str:
    frame = state.parts.frame
    after, price = state.conversation.reading(frame).used, frame.info.price
    if before is None or after is None:
        return "Done. /context undo takes it back."
    saved, again = max(0, before - after), max(0, after - frame.overhead)
    parts = [
        f"~{saved:,} tokens less in every request{_dollars(saved, price.read if price else None)}",
        f"the next one writes ~{again:,} to the cache again{_dollars(again, price.write_5m if price else None)}",
    ]
    if dying:
        parts.append(f"{counted(dying, 'later answer')} {'goes' if dying == 1 else 'go'} on without thinking")
    return "; ".join(parts) + " · /context undo takes it back."


def _dollars(tokens: int, rate: float | None) -> str:
    return "" if rate is None else f" (${tokens * rate / 1e6:.4f})"


def _put_aside(state: State, chosen: Target) -> str:
    """Where the whole item can be read, in words; empty when it has no words or the disk refuses."""
    text = words_of(chosen.block)
    if not text:
        return ""
    try:
        return f" · {kept_file(state.parts.spill_dir, chosen.spot, text)}"
    except FilesError:
        return ""


def _spots(entry: MessageEntry) -> list[Spot]:
    return [spot_of(entry, index) for index in range(len(entry.message.blocks))]
