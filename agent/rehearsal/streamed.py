"""What was streamed lately, so that a turn whose thinking comes back altered or incomplete is noticed."""

from copy import copy

import msgspec

from agent.rehearsal.prompt import Message, Prompt, canonical, chain, is_thinking, opens_turn
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.thinking import identity
from agent.rehearsal.walk import Walk
from agent.rehearsal.wire import Json, kind

REMEMBERED = 20_000


class Sent(msgspec.Struct, frozen=True):
    """One answer: its thinking blocks by identity (None stands for any other block), and why it stopped."""

    model: str
    layout: tuple[bytes | None, ...]
    stop_reason: str


class Streamed:
    """Answers by the digest of the conversation up to and including them, thinking left out."""

    def __init__(self) -> None:
        self._sent: dict[bytes, Sent] = {}

    def remember(self, walk: Walk, content: list[Json], model: str, stop_reason: str) -> None:
        """Note an answer that was given where a walk had ended; one that says nothing leaves no trace to be known by."""
        if all(is_thinking(block) or kind(block) == "compaction" for block in content):
            return
        walk = copy(walk)
        for block in content:
            if kind(block) == "compaction":
                walk.adopt(block)
            elif not is_thinking(block):
                walk.prefix = chain(walk.prefix, b"assistant:" + canonical(block))
        prefix = walk.prefix
        if len(self._sent) >= REMEMBERED:
            self._sent.pop(next(iter(self._sent)))
        self._sent[prefix] = Sent(model, layout(content), stop_reason)

    def resumes_pause(self, prompt: Prompt) -> bool:
        """Whether the request ends with a paused answer, sent back unchanged."""
        runs = _runs(prompt)
        if not runs or prompt.messages[-1].role != "assistant":
            return False
        sent = self._sent.get(runs[-1].end)
        return sent is not None and sent.stop_reason == "pause_turn" and sent.layout == layout(list(runs[-1].blocks))

    def check(self, prompt: Prompt) -> None:
        """Raise `Refusal` when thinking of the latest turn was changed, or left out of an open tool loop.

        An answer whose conversation was rewritten is unknown here: its thinking may be stripped.
        """
        if not prompt.thinks:
            return
        start = max((message.index for message in prompt.messages if opens_turn(message)), default=-1)
        runs = _runs(prompt)
        current = [run for run in runs if run.index > start]
        for run in current or runs[-1:]:
            sent = self._sent.get(run.end)
            if sent is None or sent.model != prompt.model.id:
                continue
            back = layout(list(run.blocks))
            stripped = not current and not any(back)
            if back != sent.layout and not stripped:
                raise _modified(run.index)


class _Run(msgspec.Struct, frozen=True):
    """Assistant messages in a row, and the digest at their end."""

    index: int
    blocks: tuple[Json, ...]
    end: bytes


def layout(blocks: list[Json]) -> tuple[bytes | None, ...]:
    """Where thinking stands among the blocks, and which."""
    return tuple(identity(block) if is_thinking(block) else None for block in blocks)


def _runs(prompt: Prompt) -> list[_Run]:
    walk = Walk(prompt.root)
    pieces = {(piece.message, piece.block): piece for piece in prompt.pieces if piece.area == "messages"}
    runs: list[_Run] = []
    before: Message | None = None
    for message in prompt.messages:
        for place, block in enumerate(message.blocks):
            if not is_thinking(block):
                walk.go(pieces[message.index, place], block)
        if message.role == "assistant":
            joined = before is not None and before.role == "assistant"
            last = runs.pop() if joined else _Run(message.index, (), b"")
            runs.append(_Run(last.index, last.blocks + message.blocks, walk.prefix))
        before = message
    return runs


def _modified(index: int) -> Refusal:
    return Refusal(
        "thinking.modified",
        f"messages.{index}.content: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
        "modified. These blocks must remain as they were in the original response.",
    )
