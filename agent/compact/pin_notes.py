"""How the model is told of pins: a note for each, and one that takes it back; neither ever changes what was sent before."""

from collections.abc import Iterable, Sequence

from agent.context.edits import Pin
from agent.prompts.reminder import CLOSE, TAG, reminder_message
from agent.protocol.messages import Message
from agent.transcript.entries import MessageEntry

PINNED = "The user has pinned this, word for word; keep to it:\n\n"
UNPINNED = "The user has unpinned this; you need not keep to it any longer:\n\n"


def pin_note(pin: Pin) -> Message:
    """Tells the model of `pin`."""
    return reminder_message(f"{PINNED}{pin.name}:\n{pin.text}" if pin.spot else f"{PINNED}{pin.text}")


def is_pin_note(entry: MessageEntry) -> bool:
    """Whether `entry` tells of a pin, or takes one back: what is in force is told anew after a compaction."""
    return _words(entry, PINNED) is not None or _words(entry, UNPINNED) is not None


def due_pin_notes(recorded: Iterable[MessageEntry], pins: Sequence[Pin]) -> tuple[Message, ...]:
    """What the model must still be told so that it knows of `pins`: what `recorded` says of pins that are gone, and words never told.

    A pinned item stands in the conversation anyway, until a compaction tells it as a pin.
    """
    told: dict[str, None] = {}
    for entry in recorded:
        if (words := _words(entry, PINNED)) is not None:
            told[words] = None
        elif (words := _words(entry, UNPINNED)) is not None:
            told.pop(words, None)
    notes = {_inside(note.text).removeprefix(PINNED): (pin, note) for pin in pins for note in [pin_note(pin)]}
    gone = [reminder_message(f"{UNPINNED}{words}") for words in told if words not in notes]
    new = [note for words, (pin, note) in notes.items() if not pin.spot and words not in told]
    return (*gone, *new)


def _words(entry: MessageEntry, opening: str) -> str | None:
    """What `entry` says after `opening`; None when it is no such note, as nothing is that a person typed."""
    said = _inside(entry.message.text) if entry.is_meta else ""
    return said.removeprefix(opening) if said.startswith(opening) else None


def _inside(text: str) -> str:
    return text.removeprefix(f"<{TAG}>\n").removesuffix(CLOSE)
