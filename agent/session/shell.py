"""`!command`: a person's own command, run where the session stands, its output put into the context."""

from agent.loop.one_call import Prepared, prepare
from agent.prompts.reminder import reminder_message
from agent.protocol.blocks import ToolUse
from agent.protocol.errors import FilesError, ToolError
from agent.protocol.events import Emit, ToolFinished, ToolStarted
from agent.protocol.tools import ToolOutput
from agent.session.shell_note import shell_note
from agent.session.state import State


async def run_shell(state: State, command: str, emit: Emit) -> None:
    """Runs `command` without asking (a person typed it) and records it with its output as context."""
    deps = state.deps(emit)
    call = ToolUse(id=f"shell_{len(deps.conversation.view())}", name="Bash", input={"command": command})
    started = deps.parts.clock.monotonic()
    try:
        prepared: Prepared = prepare(deps, call)
        await emit(ToolStarted(id=call.id, name="Bash", input=call.input, title=f"! {command}"))
        output = await prepared.tool.run(prepared.parsed, prepared.context)
    except (ToolError, FilesError) as error:
        output = ToolOutput(text=error.line, is_error=True)
    elapsed = round(1000 * (deps.parts.clock.monotonic() - started))
    note = shell_note(command, output.text)
    deps.conversation.transcript.append_message(reminder_message(note), is_meta=True)
    await emit(ToolFinished(id=call.id, name="Bash", title=f"! {command}", output=output, duration_ms=elapsed))
