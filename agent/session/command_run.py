"""One line that is a command, to its result: ours does its work, a person's own becomes a prompt."""

import asyncio

from agent.loop.tally import Tally
from agent.protocol.errors import CcagentError
from agent.protocol.events import Emit, ExitRequested, Failed, Interrupted, PromptFinished
from agent.protocol.results import Failure, RunResult, Subtype
from agent.session.asker import PendingAsks
from agent.session.custom_command import Expanded, expand
from agent.session.slash import run_slash, split_command
from agent.session.slash_memory import init_request
from agent.session.state import State


async def run_command(state: State, line: str, emit: Emit, asks: PendingAsks) -> RunResult:
    """Runs the command in `line`; always ends with PromptFinished, also when it is interrupted."""
    tally = Tally(state.parts.clock)
    noted = tally.noting(emit)
    name, argument = split_command(line)
    expanded: Expanded | None = None
    try:
        if custom := state.custom.find(name):
            expanded = await expand(state, custom, line, argument, noted, asks)
            await expanded.take_model(state, noted)
        elif name == "init":
            expanded = init_request(state, line, argument)
        if expanded is None:
            tally.text = await run_slash(state, line, noted)
    except asyncio.CancelledError:
        await emit(Interrupted())
        await emit(PromptFinished(_failed(tally, "Interrupted.", "aborted")))
        raise
    except CcagentError as error:
        await emit(Failed(Failure(what=error.what, safe=error.safe, do=error.do)))
        await emit(PromptFinished(result := _failed(tally, error.line, "error")))
        return result
    if expanded is not None:
        return await expanded.run(state, emit)
    if name.lower() in ("exit", "quit"):
        await emit(ExitRequested())
    await emit(PromptFinished(result := tally.result()))
    return result


def _failed(tally: Tally, error: str, terminal_reason: str) -> RunResult:
    return tally.result(Subtype.DURING_EXECUTION, error=error, terminal_reason=terminal_reason)
