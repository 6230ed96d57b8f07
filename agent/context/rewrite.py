"""What may be rewritten: the legal routes of an edit to earlier messages, by what the model's API binds to them."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct

from agent.context.edits import has_thinking
from agent.models.capabilities import ModelInfo
from agent.protocol.messages import Message
from agent.protocol.model import ClearToolUses
from agent.transcript.entries import MessageEntry

Change: TypeAlias = Literal["clear_results", "replace", "summarize"]
"""Old tool results go; any block is replaced; everything up to a point becomes a summary."""

COMPACTABLE_TOOLS = frozenset({"Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write"})
"""Design note 000 section 5: their results can be had again, by the same call or from where they were put aside."""


class Route(StrEnum):
    """The ways to change earlier messages.

    EDIT: just so, because nothing is bound to them. SERVER_CLEAR: we go on sending all, the API shows less (context editing).
    SIGNED_BLOCK: the API's own summary, which it signs. STRIP: our edit, and all thinking after it goes too. DROP: our edit, and the API
    is told to drop thinking that no longer fits (`block_binding`); it loses what STRIP loses and needs a beta, so it comes last.
    """

    EDIT = "edit"
    SERVER_CLEAR = "server_clear"
    SIGNED_BLOCK = "signed_block"
    STRIP = "strip"
    DROP = "drop"


class Abilities(Struct, frozen=True):
    """What the API has said it can do for this model."""

    clears_tool_uses: bool = False
    summarizes: bool = False


def legal_routes(info: ModelInfo, change: Change, dying: Collection[str], abilities: Abilities) -> tuple[Route, ...]:
    """The routes that the API accepts, the one that loses least first; `dying` is what `dying_thinking` says."""
    if not dying:
        return (Route.EDIT,)
    keeps: list[Route] = []
    if change == "clear_results" and abilities.clears_tool_uses:
        keeps.append(Route.SERVER_CLEAR)
    if change == "summarize" and abilities.summarizes:
        keeps.append(Route.SIGNED_BLOCK)
    loses = (Route.STRIP, Route.DROP) if info.thinking == "adaptive" else (Route.STRIP,)
    return (*keeps, *loses)


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
