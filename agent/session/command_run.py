"""One line that is a command, to its result: ours does its work, a person's own becomes a prompt."""

from agent.loop.tally import Tally
from agent.protocol.events import Emit
from agent.protocol.results import RunResult
from agent.session.asker import PendingAsks
from agent.session.custom_command import Expanded, expand
from agent.session.slash import run_slash, split_command
from agent.session.slash_memory import init_request
from agent.session.state import State


async def run_command(state: State, tally: Tally, line: str, emit: Emit, asks: PendingAsks) -> RunResult:
    """Runs the command in `line`; raises the CcagentError of one that cannot be run."""
    if request := await _request(state, line, emit, asks):
        return await request.run(state, tally, emit)
    tally.text = await run_slash(state, line, emit)
    return tally.result()


async def _request(state: State, line: str, emit: Emit, asks: PendingAsks) -> Expanded | None:
    """The prompt that the command stands for, if it is one for the model."""
    name, argument = split_command(line)
    if custom := state.custom.find(name):
        return await expand(state, custom, line, argument, emit, asks)
    return init_request(state, line, argument) if name == "init" else None
