"""A tool call and its result stay on one side."""

from collections.abc import Sequence

from agent.protocol.messages import Message
from agent.transcript.blocks import answered_id, call_id


def between_pairs(messages: Sequence[Message]) -> set[int]:
    """Cuts that no pair of call and result spans; a call without a result pins nothing."""
    last_answer: dict[str, int] = {}
    for at, message in enumerate(messages):
        last_answer |= {name: at for block in message.blocks if (name := answered_id(block))}
    cuts, reach = set(), 0
    for at, message in enumerate(messages):
        if at > reach:
            cuts.add(at)
        calls = (call_id(block) for block in message.blocks)
        reach = max([reach, *(last_answer.get(call, 0) for call in calls if call)])
    return cuts
