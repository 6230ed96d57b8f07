"""A request that the API refuses although it was legal to us: what can be left out of it is left out, once, for good."""

import msgspec

from agent.compact.server_clears import refuse_clears, take_over_clears
from agent.context.edits import has_thinking
from agent.loop.deps import Deps
from agent.protocol.errors import InvalidRequest, ThinkingRefused
from agent.protocol.events import Notice
from agent.protocol.text import counted


async def mend(deps: Deps, error: InvalidRequest) -> None:
    """Changes the history so that the request may be sent again; raises `error` when nothing could be the matter with it."""
    if isinstance(error, ThinkingRefused):
        await _without_thinking(deps, error)
    elif "diagnostics" in error.what and not deps.conversation.cache_watch.refused:
        deps.conversation.cache_watch.refused = True  # it is only a question: without it the request is the same
    elif deps.conversation.server_cleared:
        refuse_clears(deps.conversation, deps.parts.frame)
        await take_over_clears(deps.compact, deps.parts.spill_dir)
    else:
        raise error


async def _without_thinking(deps: Deps, error: ThinkingRefused) -> None:
    """The thinking so far was bound to something that has changed: another system prompt after an upgrade, a record edited by hand."""
    conversation = deps.conversation
    thought = [entry.uuid for entry in conversation.sent() if has_thinking(entry.message)]
    if not thought:
        raise error
    stripped = tuple(dict.fromkeys((*conversation.edits.stripped, *thought)))
    conversation.edit(msgspec.structs.replace(conversation.edits, stripped=stripped), deps.parts.frame)
    text = f"The API no longer takes the earlier thinking of this conversation; {counted(len(thought), 'answer')} {'goes' if len(thought) == 1 else 'go'} on without it."
    await deps.emit(Notice(level="info", text=text))
