"""API rounds: the smallest pieces that a history may be cut into without separating a call from its result."""

from collections.abc import Sequence
from itertools import pairwise

from agent.protocol.messages import Message
from agent.transcript.cuts import STRUCTURE, legal_cuts


def group_rounds(messages: Sequence[Message]) -> list[range]:
    """Index ranges that cover `messages` in order: a prompt with its answer and the results of its calls.

    In a tool loop each further answer with its results is one. Every border is a legal cut: no call is separated from its result, no message from its neighbour of the same role. A round in
    the middle of a loop begins with the assistant, so what follows a cut there needs a user marker before it.
    """
    cuts = legal_cuts(messages, STRUCTURE)
    borders = [at for at in range(1, len(messages)) if at in cuts and _opens_round(messages, at)]
    edges = [0, *borders, len(messages)]
    return [range(start, end) for start, end in pairwise(edges) if start < end]


def _opens_round(messages: Sequence[Message], at: int) -> bool:
    """A prompt after an answer opens a round, and so does an answer to tool results."""
    before, message = messages[at - 1], messages[at]
    if message.role == "assistant":
        return bool(before.tool_results)
    return before.role == "assistant"
