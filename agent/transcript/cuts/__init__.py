"""Where a history may be cut in two: the intersection of small rules, each in its own file."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from agent.protocol.messages import Message
from agent.transcript.cuts.media import with_its_answer
from agent.transcript.cuts.pairs import between_pairs
from agent.transcript.cuts.thinking import outside_thinking_loops
from agent.transcript.cuts.turns import between_roles

CutRule: TypeAlias = Callable[[Sequence[Message]], set[int]]
"""The indexes before which a cut breaks nothing of what the rule looks after; 0 and len(messages) never count as cuts."""

STRUCTURE: tuple[CutRule, ...] = (between_pairs, between_roles)
"""What the API refuses in any case; enough when thinking and media are stripped anyway."""

ALL_RULES: tuple[CutRule, ...] = (*STRUCTURE, outside_thinking_loops, with_its_answer)


def legal_cuts(messages: Sequence[Message], rules: Sequence[CutRule] = ALL_RULES) -> set[int]:
    """The indexes `i` at which `messages[:i]` and `messages[i:]` may part, by all the `rules`."""
    cuts = set(range(1, len(messages)))
    for rule in rules:
        cuts &= rule(messages)
    return cuts
