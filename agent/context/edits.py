"""What a conversation no longer sends as it was recorded: decisions that are on record too, so that every later request has the same bytes."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import msgspec
from msgspec import Struct

from agent.protocol.blocks import Block, RedactedThinking, Text, Thinking, ToolResult, ToolUse
from agent.protocol.messages import Message
from agent.transcript.entries import CONTEXT_EDITS, MessageEntry, MetaEntry
from agent.transcript.ledger import Ledger

Spot: TypeAlias = str
"""One block of the history: a tool result by the id of its call, any other block as `uuid:index`. Branches share their spots."""

SERVER_PLACEHOLDER = "[Old tool result content cleared by context management]"  # about what the model reads instead


class Pin(Struct, frozen=True):
    """What must stay word for word: a block of the history, or (with an empty `spot`) the words in `text` alone."""

    spot: Spot
    name: str
    text: str


class Edits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All decisions in force.

    `texts` stand in the place of blocks; `by_person` are those of them that a person asked for, oldest first. `server_cleared` are the
    calls whose results the API leaves out while we go on sending them. `stripped` are the answers whose thinking is not sent any more.
    """

    texts: dict[Spot, str] = {}
    by_person: tuple[Spot, ...] = ()
    server_cleared: tuple[str, ...] = ()
    stripped: tuple[str, ...] = ()
    pins: tuple[Pin, ...] = ()


NO_EDITS = Edits()


def recorded_edits(ledger: Ledger) -> Edits:
    """The latest decisions in a transcript; none when there are none, or they cannot be read."""
    at = ledger.metadata.get(CONTEXT_EDITS)
    entry = None if at is None else ledger[at]
    return _read(entry) if isinstance(entry, MetaEntry) else NO_EDITS


def _read(entry: MetaEntry) -> Edits:
    try:
        return msgspec.convert(entry.fields, Edits)
    except msgspec.ValidationError:
        return NO_EDITS


def alike_at(ledger: Ledger) -> Callable[[int], bool]:
    """Whether what was in force at a place of the record is in force at its end too; a pin makes no difference."""
    changes = [(-1, NO_EDITS)]
    if CONTEXT_EDITS in ledger.metadata:
        for at in (at for at, node in enumerate(ledger.chain.nodes) if not node.uuid):
            entry = ledger[at]
            if isinstance(entry, MetaEntry) and entry.kind == CONTEXT_EDITS:
                changes.append((at, _read(entry)))
    places = [at for at, _edits in changes]
    alike = [only_pins_differ(edits, changes[-1][1]) for _at, edits in changes]
    return lambda at: alike[bisect_right(places, at) - 1]


def only_pins_differ(one: Edits, other: Edits) -> bool:
    """Whether the same is sent under both."""
    return msgspec.structs.replace(one, pins=other.pins) == other


def spot_of(entry: MessageEntry, index: int) -> Spot:
    """The name of a block of `entry`."""
    block = entry.message.blocks[index]
    return block.tool_use_id if isinstance(block, ToolResult) else f"{entry.uuid}:{index}"


def is_thinking(block: Block) -> bool:
    """Whether `block` is thinking, readable or not."""
    return isinstance(block, Thinking | RedactedThinking)


def has_thinking(message: Message) -> bool:
    """Whether `message` carries thinking."""
    return any(is_thinking(block) for block in message.blocks)


def without_thinking(entry: MessageEntry) -> MessageEntry:
    """`entry` with its words and calls alone."""
    blocks = tuple(block for block in entry.message.blocks if not is_thinking(block))
    return msgspec.structs.replace(entry, message=Message(role=entry.message.role, blocks=blocks))


class Editor:
    """Applies edits to views; a block that stands in another's place is made once, so that its tokens are counted once."""

    def __init__(self) -> None:
        self._made: dict[Spot, tuple[str, Block]] = {}

    def seen(self, view: Sequence[MessageEntry], edits: Edits, pending: Iterable[str] = ()) -> tuple[MessageEntry, ...]:
        """What the model reads: what the server leaves out is left out here too."""
        texts = dict.fromkeys((*edits.server_cleared, *pending), SERVER_PLACEHOLDER) | edits.texts
        return self._applied(view, texts, edits)

    def sent(self, view: Sequence[MessageEntry], edits: Edits) -> tuple[MessageEntry, ...]:
        """What goes over the wire."""
        return self._applied(view, edits.texts, edits)

    def _applied(self, view: Sequence[MessageEntry], texts: dict[Spot, str], edits: Edits) -> tuple[MessageEntry, ...]:
        stripped = frozenset(edits.stripped)
        if not texts and not stripped:
            return tuple(view)
        return tuple(self._edited(entry, texts, stripped) for entry in view)

    def _edited(self, entry: MessageEntry, texts: dict[Spot, str], stripped: frozenset[str]) -> MessageEntry:
        blocks = [
            block if text is None else self._standing_in(spot, block, text)
            for index, block in enumerate(entry.message.blocks)
            for spot in [spot_of(entry, index)]
            for text in [texts.get(spot)]
        ]
        if entry.uuid in stripped:
            blocks = [block for block in blocks if not is_thinking(block)]
        same = len(blocks) == len(entry.message.blocks) and all(
            new is old for new, old in zip(blocks, entry.message.blocks, strict=True)
        )
        message = Message(role=entry.message.role, blocks=tuple(blocks))
        return entry if same else msgspec.structs.replace(entry, message=message)

    def _standing_in(self, spot: Spot, block: Block, text: str) -> Block:
        made = self._made.get(spot)
        if made is None or made[0] != text:
            made = self._made[spot] = (text, _with_text(block, text))
        return made[1]


def _with_text(block: Block, text: str) -> Block:
    """A block of the same place in the conversation that says only `text`: calls and results stay calls and results."""
    match block:
        case ToolResult():
            return ToolResult(tool_use_id=block.tool_use_id, content=text, is_error=block.is_error)
        case ToolUse():
            return ToolUse(id=block.id, name=block.name, input=block.input | _shortest_inputs(block, text))
        case _:
            return Text(text=text)


def _shortest_inputs(block: ToolUse, text: str) -> dict[str, object]:
    """The longest argument gives way; the others still say what the call was about."""
    longest = max(block.input, key=lambda name: len(str(block.input[name])), default=None)
    return {} if longest is None else {longest: text}
