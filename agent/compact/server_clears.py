"""Results that the API leaves out for us: a clearing waits for its first answer, then it is on record; refused, it becomes ours."""

import asyncio
from pathlib import Path

import msgspec

from agent.compact.conversation import Conversation
from agent.compact.deps import CompactDeps
from agent.compact.old_results import OldResult
from agent.compact.put_aside import put_aside
from agent.context.frame import Frame
from agent.context.rewrite import dying_thinking


def confirm_clears(conversation: Conversation, frame: Frame) -> None:
    """The API has answered a request with the waiting clearings: every later request has them too, after a resume as well."""
    if conversation.pending_clears:
        conversation.edit(
            msgspec.structs.replace(conversation.edits, server_cleared=conversation.server_cleared), frame
        )
        conversation.pending_clears = ()


def refuse_clears(conversation: Conversation, frame: Frame) -> None:
    """The API does not clear after all: what waited is forgotten, and it is not asked again in this session."""
    conversation.pending_clears = ()
    conversation.server_clear_refused = True
    conversation.meter.rewritten(conversation.messages(), frame.overhead)


async def take_over_clears(deps: CompactDeps, spill_dir: Path) -> None:
    """Where the API in use cannot clear (another model, a gateway), what it had cleared stays cleared by our own stubs."""
    conversation = deps.conversation
    edits, able = conversation.edits, deps.frame.clears_tool_uses and not conversation.server_clear_refused
    if able or not edits.server_cleared:
        return
    view = conversation.sent()
    calls = {call.id: call for entry in view for call in entry.message.tool_uses}
    results = [
        OldResult(place, calls[block.tool_use_id], block, conversation.meter.counter.block(block), stays=False)
        for place, entry in enumerate(view)
        for block in entry.message.tool_results
        if block.tool_use_id in edits.server_cleared and block.tool_use_id in calls
    ]
    places = await asyncio.to_thread(put_aside, results, spill_dir, conversation.transcript.path)
    stubs = {item.call.id: place.stub(item.tokens) for item, place in zip(results, places, strict=True)}
    dying = dying_thinking(deps.frame.info, view, results[0].place) if results else ()
    ours = msgspec.structs.replace(
        edits,
        texts=edits.texts | stubs,
        server_cleared=(),
        stripped=tuple(dict.fromkeys((*edits.stripped, *dying))),
    )
    conversation.edit(ours, deps.frame)
