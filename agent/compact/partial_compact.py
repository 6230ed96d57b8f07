"""One side of a message becomes a summary, the other stands: `from M` what comes from it on, `up-to M` what was before it."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from agent.compact.keep_tail import Split, loses_thinking, without_pin_notes
from agent.context.edits import without_thinking
from agent.protocol.messages import Message
from agent.protocol.text import one_line
from agent.tools.titles import title_of
from agent.transcript.cuts import STRUCTURE, legal_cuts
from agent.transcript.cuts.media import with_its_answer
from agent.transcript.cuts.thinking import outside_thinking_loops
from agent.transcript.entries import MessageEntry
from agent.transcript.rounds import group_rounds

Direction: TypeAlias = Literal["from", "up-to"]
DIRECTIONS: tuple[Direction, Direction] = ("from", "up-to")


class Part(Struct, frozen=True):
    """Which side of the message at place `at` of the view is summarised; the message itself belongs to the later side."""

    direction: Direction
    at: int


def cut_points(view: Sequence[MessageEntry], direction: Direction) -> tuple[int, ...]:
    """The places at which the view may be parted: where a round begins, with something answered on the side that is summarised.

    A picture stays with the answer that has looked at it. What is kept of a turn that did not end is the whole of its tool loop,
    where it thinks: the API wants the thinking of a running loop.
    """
    messages = [entry.message for entry in view]
    legal = legal_cuts(messages, (*STRUCTURE, with_its_answer))
    if direction == "up-to" and not _is_finished(messages):
        legal &= outside_thinking_loops(messages)
    starts = [part.start for part in group_rounds(messages)[1:]]
    return tuple(at for at in starts if at in legal and _answered(messages, Part(direction, at)))


def split_at(view: Sequence[MessageEntry], part: Part) -> Split:
    """The view parted there; what stands before the summary keeps its bytes, and so its place in the cache and its thinking."""
    before, after = tuple(view[: part.at]), tuple(view[part.at :])
    if part.direction == "from":
        return Split(history=after, kept=before, kept_first=True)
    fitting = tuple(without_thinking(entry) if loses_thinking(entry) else entry for entry in after)
    return Split(history=before, kept=without_pin_notes(fitting))


def opener(view: Sequence[MessageEntry], at: int = 0) -> MessageEntry:
    """What the part that begins at place `at` is named by: the prompt, where only what came with it (files, notes) stands before it."""
    entry = next((entry for entry in view[at:] if not entry.is_meta), view[at])
    return entry if entry.message.role == "user" else view[at]


def name_of(message: Message) -> str:
    """A message in words, on one line: what it says, or the first call it makes."""
    calls = message.tool_uses
    text = message.text.strip()
    return one_line(text) if text or not calls else title_of(calls[0])


def _answered(messages: Sequence[Message], part: Part) -> bool:
    side = messages[part.at :] if part.direction == "from" else messages[: part.at]
    return any(message.role == "assistant" for message in side)


def _is_finished(messages: Sequence[Message]) -> bool:
    return bool(messages) and messages[-1].role == "assistant" and not messages[-1].tool_uses
