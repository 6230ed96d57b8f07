"""A custom command on its way to the model: trusted or not, its words put together, its shell parts run, its rules lent."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from agent.custom_commands.arguments import Arguments, asks_for_arguments, counts_from_zero
from agent.custom_commands.command import CustomCommand
from agent.custom_commands.template import Ran, parts_of
from agent.loop.accept import Body
from agent.loop.one_call import prepare
from agent.loop.run import run
from agent.loop.tally import Tally
from agent.permissions.gate import Verdict
from agent.permissions.rules import Rule, parse_rule
from agent.protocol.blocks import ToolUse
from agent.protocol.errors import SettingsError, ToolError, UsageError
from agent.protocol.events import Emit, Notice
from agent.protocol.results import RunResult
from agent.session.asker import PendingAsks
from agent.session.command_trust import may_run
from agent.session.model_switch import return_to, switch_model
from agent.session.state import State

MAX_TEXT = 400_000  # characters of a whole command with what it has run


class Expanded(Struct, frozen=True):
    """A command that has been understood: what goes to the model, and the rules and model that hold while it is answered."""

    line: str
    body: Body
    rules: Sequence[Rule] = ()
    model: str = ""

    async def run(self, state: State, tally: Tally, emit: Emit) -> RunResult:
        """Answers it like any prompt; then the session's own model is back. Raises what `switch_model` raises."""
        before = state.builder.chosen_model
        if self.model:
            await switch_model(state, self.model, emit)
        try:
            with state.parts.authority.lending(self.rules):
                return await run(state.deps(emit), tally, self.line, self.body)
        finally:
            if self.model:
                await return_to(state, before, emit)


async def expand(
    state: State, command: CustomCommand, line: str, argument: str, emit: Emit, asks: PendingAsks
) -> Expanded:
    """What `line` (a use of `command`) stands for; raises UsageError when one of its shell parts may not run or fails."""
    trusted = await may_run(state, command, emit, asks)
    rules = await _rules(state, command, emit) if trusted else ()
    arguments = _arguments(state, command, argument)
    said, whole = list[str](), list[str]()
    with state.parts.authority.lending(rules):
        for part in parts_of(command.text):
            if isinstance(part, Ran):
                whole.append(await _output(state, command, arguments.put(part.command), emit))
            else:
                said.append(arguments.put(part.text))
                whole.append(said[-1])
    if argument and not asks_for_arguments(command.text, command.arguments):
        said.append(f"\n\nARGUMENTS: {argument}")
        whole.append(said[-1])
    if command.is_skill:
        whole.insert(0, f"The files of this skill are in {command.path.parent}.\n\n")
    text = "".join(whole)
    if not text.strip():
        raise UsageError(f"/{command.name} says nothing: {command.path} is empty.")
    if len(text) > MAX_TEXT:
        raise UsageError(f"/{command.name} comes to {len(text):,} characters; more than {MAX_TEXT:,} are not sent.")
    return Expanded(line, Body(text, "".join(said)), rules, command.model)


def _arguments(state: State, command: CustomCommand, argument: str) -> Arguments:
    variables = {
        "CLAUDE_PROJECT_DIR": str(state.builder.places.project_root),
        "CLAUDE_SESSION_ID": state.conversation.transcript.session_id,
        "CLAUDE_SKILL_DIR": str(command.path.parent),
    }
    return Arguments(argument, command.arguments, variables, counts_from_zero(command.text))


async def _rules(state: State, command: CustomCommand, emit: Emit) -> tuple[Rule, ...]:
    rules: list[Rule] = []
    for text in command.allowed_tools:
        try:
            rules.append(parse_rule(text, source=str(command.path), base=state.builder.places.project_root))
        except SettingsError as error:
            await emit(Notice(level="warning", text=f"{command.path}: {error.line}"))
    return tuple(rules)


async def _unseen(_text: str) -> None:
    """No call of the model's is shown: the output stands in the command's text."""


async def _output(state: State, command: CustomCommand, line: str, emit: Emit) -> str:
    """What one shell part prints. Nobody is asked: what the rules do not allow ends the command, and so does a failure."""
    call = ToolUse(id=f"command_{state.ids.new()}", name="Bash", input={"command": line})
    try:
        prepared = prepare(state.deps(emit), call)
    except ToolError as error:
        raise UsageError(f"/{command.name} could not run `{line}`: {error.line}", safe="Nothing was sent.") from error
    authority = state.parts.authority
    decision = authority.gate.decide(prepared.tool.spec, prepared.subject, authority.mode)
    if decision.verdict is not Verdict.ALLOW:
        raise UsageError(
            f"/{command.name} may not run `{line}`: {decision.reason}.",
            safe="Nothing was sent.",
            do=f"Allow it in its allowed-tools, such as Bash({line.split()[0] if line.split() else ''}:*), or in the settings.",
        )
    aside = msgspec.structs.replace(prepared.context, progress=_unseen, set_cwd=lambda _folder: None)
    output = await msgspec.structs.replace(prepared, context=aside).run()
    if output.is_error:
        raise UsageError(f"/{command.name}: `{line}` failed: {output.text.strip()}", safe="Nothing was sent.")
    return output.text
