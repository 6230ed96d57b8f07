"""Goes back to before an earlier prompt, and forward again: only the leaf moves; for the files on disk see rewind_files."""

from collections.abc import Sequence

from msgspec import Struct

from agent.compact.conversation import Conversation
from agent.context.frame import Frame
from agent.protocol.errors import UsageError
from agent.transcript.catalog import is_prompt
from agent.transcript.chain import NOBODY
from agent.transcript.entries import (
    LEAF,
    MOVED_FROM,
    CompactBoundary,
    MessageEntry,
    MetaEntry,
)
from agent.transcript.view import is_prompt_context, screen_view

REWIND = "rewind"


class Point(Struct, frozen=True):
    """A prompt one can go back to; `number` counts from 1 at the oldest, `compactions` is how many came after it."""

    number: int
    uuid: str
    text: str
    compactions: int


def rewind_points(conversation: Conversation) -> tuple[Point, ...]:
    """The prompts of the whole conversation, oldest first, through all its compactions."""
    transcript = conversation.transcript
    prompts: list[tuple[MessageEntry, int]] = []
    boundaries = 0
    for entry in screen_view(transcript.entries(), transcript.leaf):
        if isinstance(entry, CompactBoundary):
            boundaries += 1
        elif isinstance(entry, MessageEntry) and is_prompt(entry):
            prompts.append((entry, boundaries))
    return tuple(
        Point(number=number, uuid=entry.uuid, text=entry.message.text, compactions=boundaries - before)
        for number, (entry, before) in enumerate(prompts, start=1)
    )


def rewind(conversation: Conversation, frame: Frame, point: Point) -> None:
    """The conversation ends before `point` and before what came with it; the model reads files again before it changes them."""
    _move(conversation, frame, _before(conversation, point.uuid))


def undo_rewind(conversation: Conversation, frame: Frame) -> str | None:
    """Returns to where the latest rewind came from, and tells its uuid; raises UsageError when there was none."""
    for entry in reversed(_leaf_moves(conversation)):
        if entry.fields.get("reason") == REWIND:
            source = entry.fields.get(MOVED_FROM)
            leaf = source if isinstance(source, str) else None
            _move(conversation, frame, leaf)
            return leaf
    raise UsageError("There is no rewind to take back.")


def _move(conversation: Conversation, frame: Frame, leaf: str | None) -> None:
    conversation.transcript.move_leaf(leaf, REWIND)
    conversation.read_state.restore({})
    conversation.moved(frame.overhead)


def _before(conversation: Conversation, uuid: str) -> str | None:
    """What stands before the prompt and its own context; None for the very beginning."""
    ledger = conversation.transcript.entries()
    chain = ledger.chain
    at = chain.nodes[chain.position(uuid)].parent
    while at != NOBODY and is_prompt_context(ledger[at]):
        at = chain.nodes[at].parent
    return None if at == NOBODY else chain.nodes[at].uuid


def _leaf_moves(conversation: Conversation) -> Sequence[MetaEntry]:
    ledger = conversation.transcript.entries()
    marks = [at for at, node in enumerate(ledger.chain.nodes) if not node.uuid]
    return [entry for at in marks if isinstance(entry := ledger[at], MetaEntry) and entry.kind == LEAF]
