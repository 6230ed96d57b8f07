"""Commands about the items of the context: /context, /pin, /unpin."""

from agent.compact.pin_notes import due_pin_notes
from agent.context.edits import Pin
from agent.protocol.errors import UsageError
from agent.protocol.events import Emit
from agent.session import items
from agent.session.command import Command
from agent.session.context_report import MANY, context_items, context_report
from agent.session.state import State


async def _context(state: State, argument: str, emit: Emit) -> str:
    await state.builder.opening.foresee(state.conversation)
    verb, _, number = argument.partition(" ")
    match verb:
        case "":
            return await context_report(state, emit)
        case "all":
            return await context_report(state, emit, most=MANY)
        case "undo":
            said = items.take_back(state)
        case "pin":
            said = items.pin(state, items.target(state, context_items(state), number))
        case "drop":
            said = items.drop(state, items.target(state, context_items(state), number))
        case "shrink":
            said = items.shrink(state, items.target(state, context_items(state), number))
        case _:
            raise UsageError(f"/context does not know {verb!r}.", do="/context [all|pin N|drop N|shrink N|undo]")
    await state.show_meter(emit)
    return said


async def _pin(state: State, argument: str, emit: Emit) -> str:
    if not argument:
        return _list(state.conversation.edits.pins)
    if argument.isdecimal():
        return await _context(state, f"pin {argument}", emit)
    said = items.add_pin(state, Pin(spot="", name=argument[:60], text=argument))
    await _tell_model(state, emit)
    return said


async def _unpin(state: State, argument: str, emit: Emit) -> str:
    said = items.unpin(state, argument)
    await _tell_model(state, emit)
    return said


async def _tell_model(state: State, emit: Emit) -> None:
    """What of it the model does not know yet goes on record now, behind everything that was sent."""
    conversation = state.conversation
    for note in due_pin_notes(conversation.recorded(), conversation.edits.pins):
        conversation.transcript.append_message(note, is_meta=True)
    await state.show_meter(emit)


def _list(pins: tuple[Pin, ...]) -> str:
    if not pins:
        return "Nothing is pinned. `/pin N` pins an item of /context, `/pin words` pins words."
    return "\n".join(["Pinned:", "", *(f"{number}. {pin.name}" for number, pin in enumerate(pins, start=1))])


ITEM_COMMANDS = (
    Command(
        "context",
        "/context [all|pin N|drop N|shrink N|undo]",
        "what fills the context, and what to do about it",
        _context,
    ),
    Command("pin", "/pin [N|words]", "keep an item of /context, or words, through every compaction", _pin),
    Command("unpin", "/unpin N|all", "let go of what is pinned", _unpin),
)
