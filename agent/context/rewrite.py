"""What may be rewritten: the legal routes of an edit to earlier messages, by what the model's API binds to them."""

from collections.abc import Collection, Sequence
from enum import StrEnum

from agent.context.edits import has_thinking
from agent.models.capabilities import ModelInfo
from agent.protocol.messages import Message
from agent.protocol.model import ClearToolUses
from agent.transcript.entries import MessageEntry

COMPACTABLE_TOOLS = frozenset({"Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write"})
"""Design note 000 section 5: their results can be had again, by the same call or from where they were put aside."""


class Route(StrEnum):
    """The ways to clear earlier results.

    EDIT: just so, because nothing is bound to them. SERVER_CLEAR: we go on sending all, the API shows less (context editing).
    STRIP: our edit, and all thinking after it goes too.
    """

    EDIT = "edit"
    SERVER_CLEAR = "server_clear"
    STRIP = "strip"


def legal_routes(dying: Collection[str], *, clears_tool_uses: bool) -> tuple[Route, ...]:
    """The routes that the API accepts, the one that loses least first.

    `dying` is what `dying_thinking` says; `clears_tool_uses`: the API has said that it can for this model.
    """
    if not dying:
        return (Route.EDIT,)
    return (Route.SERVER_CLEAR, Route.STRIP) if clears_tool_uses else (Route.STRIP,)


def dying_thinking(info: ModelInfo, view: Sequence[MessageEntry], first: int) -> tuple[str, ...]:
    """The answers after `view[first]` whose thinking no longer fits once that message has changed; none where nothing is bound."""
    if not info.bound_thinking:
        return ()
    return tuple(entry.uuid for entry in view[first + 1 :] if has_thinking(entry.message))


def clear_tool_uses(messages: Sequence[Message], cleared: Collection[str]) -> ClearToolUses | None:
    """What to tell the API so that exactly the results of `cleared`, all among the oldest, are left out, in this and every later request.

    The API counts from the newest; so the number it keeps grows with the conversation, and what it leaves out stays the same:
    a fixed number would clear one more result each turn and break the cached prefix each time. None when nothing is cleared.
    """
    uses = [call for message in messages for call in message.tool_uses]
    last = max((place for place, call in enumerate(uses) if call.id in cleared), default=None)
    if last is None:
        return None
    spared = {call.name for call in uses[: last + 1] if call.name not in COMPACTABLE_TOOLS}
    return ClearToolUses(keep=len(uses) - last - 1, exclude_tools=tuple(sorted(spared)))


def cleared_calls(messages: Sequence[Message], told: ClearToolUses | None) -> tuple[str, ...]:
    """The calls whose results the API leaves out of `messages` when it is told so."""
    if told is None:
        return ()
    uses = [call for message in messages for call in message.tool_uses]
    return tuple(call.id for call in uses[: len(uses) - told.keep] if call.name not in told.exclude_tools)
