"""Leaves a legal history behind a stopped run: what was said is kept, every open call is answered."""

from agent.loop.deps import Deps
from agent.loop.tally import Tally
from agent.protocol.blocks import Text, ToolResult
from agent.protocol.messages import Message
from agent.protocol.tools import ToolOutput

INTERRUPTED = "[Request interrupted by the user]"
CALL_INTERRUPTED = ToolOutput(
    text="This call was interrupted before it finished. It may have had effects.", is_error=True
)
NOT_STARTED = ToolOutput(text="This call was not run: the run was stopped before it.", is_error=True)


def close_open_calls(deps: Deps, tally: Tally, *, interrupted: bool) -> None:
    """Answers unanswered calls, finished ones with their results; an interrupt also keeps the text so far and leaves a mark."""
    transcript = deps.conversation.transcript
    partial = "".join(tally.partial)
    if interrupted and partial.strip():
        transcript.append_message(Message(role="assistant", blocks=(Text(text=partial),)), stop_reason="interrupted")
    view = deps.conversation.view()
    if not view:
        return
    open_calls = view[-1].message.tool_uses if view[-1].message.role == "assistant" else ()
    results = tuple(result_block(call.id, _outcome(tally, call.id)) for call in open_calls)
    mark = (Text(text=INTERRUPTED),) if interrupted else ()
    if results or mark:
        transcript.append_message(Message(role="user", blocks=(*results, *mark)), is_meta=True)


def _outcome(tally: Tally, call_id: str) -> ToolOutput:
    return tally.outcomes.get(call_id, CALL_INTERRUPTED if call_id in tally.begun else NOT_STARTED)


def result_block(tool_use_id: str, output: ToolOutput) -> ToolResult:
    """The API's form of a call's outcome; never blank."""
    text = output.text if output.text.strip() else "(no output)"
    if not output.images:
        return ToolResult(tool_use_id=tool_use_id, content=text, is_error=output.is_error)
    return ToolResult(tool_use_id=tool_use_id, content=[Text(text=text), *output.images], is_error=output.is_error)
