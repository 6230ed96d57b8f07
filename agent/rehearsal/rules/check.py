"""The order in which the rules look at a request."""

from collections.abc import Callable, Iterator

from agent.rehearsal.prompt import Prompt
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.rules import blocks, body, caching, compaction, edits, messages, thinking, tools

RULES: tuple[Callable[[Prompt], None], ...] = (
    body.field_types,
    body.unknown_fields,
    body.sampling,
    body.max_tokens,
    body.stop_sequences,
    body.metadata,
    compaction.parameter,
    messages.some_messages,
    messages.fields,
    messages.roles,
    messages.first_message,
    messages.content,
    caching.marks,
    caching.automatic,
    blocks.shapes,
    compaction.block,
    blocks.text,
    blocks.media,
    blocks.images,
    tools.definitions,
    tools.choice,
    tools.calls,
    messages.system_place,
    compaction.finished,
    tools.results,
    thinking.config,
    thinking.budget,
    thinking.effort,
    thinking.expected,
    edits.edits,
)
COUNTING = tuple(rule for rule in RULES if rule not in (body.max_tokens, thinking.budget))
"""What token counting asks of a request: the same, but for what concerns the answer."""


def broken(prompt: Prompt, rules: tuple[Callable[[Prompt], None], ...] = RULES) -> Iterator[Refusal]:
    """What is wrong with a request, in the order in which the API would say it; nothing when all is well."""
    for rule in rules:
        try:
            rule(prompt)
        except Refusal as refusal:
            yield refusal
