"""One call: parse, gate, hook, ask, run, hook again; every failure becomes its result."""

import msgspec
from msgspec import Struct

from agent.loop.deps import AnyTool, Deps
from agent.loop.permission import permitted
from agent.loop.permission_hooks import tool_fields
from agent.loop.spill import spilled
from agent.loop.tally import Tally
from agent.loop.tool_response import tool_response
from agent.protocol.blocks import ToolUse
from agent.protocol.errors import CcagentError, FilesError, InvalidToolInput, ToolError
from agent.protocol.events import ToolFinished, ToolProgress, ToolStarted
from agent.protocol.hooks import HookEvent, HookInput, HookOutcome
from agent.protocol.results import PermissionDenial
from agent.protocol.tools import Subject, ToolContext, ToolOutput

MAX_TITLE = 200
NOT_RUN = ToolOutput(text="This call was not run, because a hook had stopped the run.", is_error=True)


class Prepared(Struct, frozen=True):
    """A call that has been understood: the tool, its parsed input and what it touches."""

    tool: AnyTool
    parsed: object
    subject: Subject
    context: ToolContext

    async def run(self) -> ToolOutput:
        """The outcome; a refusal of the tool's or the disk's is one too."""
        try:
            return await self.tool.run(self.parsed, self.context)
        except (ToolError, FilesError, OSError) as error:
            return refusal(error)


def refusal(error: ToolError | FilesError | OSError) -> ToolOutput:
    """What the model reads of a call that could not be made; an OSError is one that the tool did not foresee."""
    return ToolOutput(text=error.line if isinstance(error, CcagentError) else f"{error}.", is_error=True)


async def attempt(deps: Deps, tally: Tally, call: ToolUse) -> None:
    """Answers `call`: its outcome stands in `tally.outcomes` and is told as ToolFinished."""
    title, elapsed = call.name, 0
    try:
        prepared = prepare(deps, call)
        title = prepared.subject.title[:MAX_TITLE]
        output = NOT_RUN
        if not tally.halt:
            output, elapsed = await _permitted_run(deps, tally, call, prepared)
            output = await spilled(deps, call, output)
    except (ToolError, FilesError, OSError) as error:
        output = refusal(error)
    tally.outcomes[call.id] = output
    await deps.emit(ToolFinished(id=call.id, name=call.name, title=title, output=output, duration_ms=elapsed))


def prepare(deps: Deps, call: ToolUse) -> Prepared:
    """The call understood; raises InvalidToolInput with what the model should do instead."""
    tool = deps.parts.tools.get(call.name)
    if tool is None:
        raise InvalidToolInput(f"There is no tool named {call.name}. The tools are {', '.join(deps.parts.tools)}.")
    parsed = tool.parse(call.input)
    place, history = deps.parts.workplace, deps.conversation.file_history

    async def progress(text: str) -> None:
        await deps.emit(ToolProgress(id=call.id, text=text))

    context = ToolContext(
        cwd=place.cwd,
        roots=place.roots,
        read_state=deps.conversation.read_state,
        env=deps.parts.env,
        spill_dir=deps.parts.spill_dir,
        tool_use_id=call.id,
        progress=progress,
        set_cwd=place.move,
        before_write=history.keep if deps.parts.file_checkpointing else history.pass_over,
        hides=deps.parts.authority.gate.hides,
        env_files=deps.parts.env_files(),
    )
    return Prepared(tool=tool, parsed=parsed, subject=tool.subject(parsed, place.cwd), context=context)


async def _permitted_run(deps: Deps, tally: Tally, call: ToolUse, prepared: Prepared) -> tuple[ToolOutput, int]:
    """The outcome, and the milliseconds that the tool ran: none while a person was asked, none when they said no."""
    verdict = await permitted(
        deps, call, prepared.tool, prepared.subject, prepared.tool.preview(prepared.parsed, prepared.context)
    )
    tally.told(call.id, verdict.context)
    if verdict.halts is not None:
        tally.halted_by(verdict.halts)
    if not verdict.allowed:
        tally.denials.append(PermissionDenial(tool_name=call.name, tool_use_id=call.id, tool_input=call.input))
        return ToolOutput(text=verdict.reason, is_error=True), 0
    if verdict.updated_input is not None:
        call = ToolUse(id=call.id, name=call.name, input=verdict.updated_input)
        prepared = prepare(deps, call)
    title = prepared.subject.title[:MAX_TITLE]
    tally.begun.add(call.id)
    await deps.emit(ToolStarted(id=call.id, name=call.name, input=call.input, title=title))
    started = deps.parts.clock.monotonic()
    output = await prepared.run()
    elapsed = round(1000 * (deps.parts.clock.monotonic() - started))
    return await _post_tool_hooks(deps, tally, call, output, elapsed), elapsed


async def _post_tool_hooks(deps: Deps, tally: Tally, call: ToolUse, output: ToolOutput, duration_ms: int) -> ToolOutput:
    fields = {**tool_fields(deps, call), "duration_ms": duration_ms}
    if output.is_error:
        event = HookEvent.POST_TOOL_USE_FAILURE
        fields |= {"error": output.text, "is_interrupt": False}
    else:
        event = HookEvent.POST_TOOL_USE
        fields["tool_response"] = tool_response(call, output)
    outcome = await deps.parts.hooks.run(HookInput(event=event, subject=call.name, fields=fields), deps.emit)
    tally.told(call.id, _feedback(outcome))
    tally.halted_by(outcome)
    if outcome.updated_output is None:
        return output
    return msgspec.structs.replace(output, text=outcome.updated_output)


def _feedback(outcome: HookOutcome) -> tuple[str, ...]:
    return (*outcome.context, outcome.reason) if outcome.blocked and outcome.reason else outcome.context
