"""`!command`: a person's own command, run where the session stands, its output put into the context."""

from agent.loop.one_call import prepare, refusal
from agent.prompts.reminder import reminder_message
from agent.protocol.blocks import ToolUse
from agent.protocol.errors import ToolError
from agent.protocol.events import Emit, MeterChanged, ToolFinished, ToolStarted
from agent.session.shell_note import shell_note
from agent.session.state import State


async def run_shell(state: State, command: str, emit: Emit) -> None:
    """Runs `command` without asking (a person typed it) and records it with its output as context."""
    deps = state.deps(emit)
    call = ToolUse(id=f"shell_{state.ids.new()}", name="Bash", input={"command": command})
    started = deps.parts.clock.monotonic()
    try:
        prepared = prepare(deps, call)
        await emit(ToolStarted(id=call.id, name="Bash", input=call.input, title=f"! {command}"))
        output = await prepared.run()
    except ToolError as error:
        output = refusal(error)
    elapsed = round(1000 * (deps.parts.clock.monotonic() - started))
    note = shell_note(command, output.text)
    deps.conversation.transcript.append_message(reminder_message(note), is_meta=True)
    await emit(ToolFinished(id=call.id, name="Bash", title=f"! {command}", output=output, duration_ms=elapsed))
    await emit(MeterChanged(deps.reading()))
