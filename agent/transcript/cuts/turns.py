"""Neighbours of one role are one message to the API: a batch of results, a prompt with what is attached to it."""

from collections.abc import Sequence

from agent.protocol.messages import Message


def between_roles(messages: Sequence[Message]) -> set[int]:
    """Cuts where the speaker changes."""
    return {at for at in range(1, len(messages)) if messages[at - 1].role != messages[at].role}
