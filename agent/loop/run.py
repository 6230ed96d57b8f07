"""One prompt to its answer, in a straight line; whatever stops it leaves a legal history."""

import asyncio

from agent.loop.accept import Body, accept
from agent.loop.deps import Deps
from agent.loop.failure import failed
from agent.loop.give_back import give_back
from agent.loop.interrupt import close_open_calls
from agent.loop.make_room import make_room, react
from agent.loop.mend import mend
from agent.loop.stop import GO_ON, Continue, after_answer
from agent.loop.stop_failure import failure_word, stop_failure
from agent.loop.tally import Tally
from agent.loop.tool_calls import answer_calls
from agent.loop.turn import turn
from agent.protocol.blocks import ToolUse
from agent.protocol.errors import (
    CcagentError,
    InvalidRequest,
    ModelError,
    PromptTooLong,
    RequestTooLarge,
    TranscriptError,
)
from agent.protocol.events import TurnEnded
from agent.protocol.model import Reply
from agent.protocol.results import RunResult, Subtype
from agent.protocol.text import counted


async def run(deps: Deps, tally: Tally, prompt: str, body: Body | None = None) -> RunResult:
    """Answers `prompt` (with what a custom command stands for as its `body`), counting in `tally`.

    Whatever stops it leaves a history that the next request may carry. Errors of the tree become the result; an interrupt is raised again.
    """
    try:
        return await _to_the_answer(deps, tally, prompt, body)
    except asyncio.CancelledError:
        await _close(deps, tally, interrupted=True)
        raise
    except CcagentError as error:
        return await _failed(deps, tally, error)


async def _to_the_answer(deps: Deps, tally: Tally, prompt: str, body: Body | None) -> RunResult:
    await accept(deps, tally, prompt, body)
    progress = Continue()
    while True:
        reply = await _turn_with_room(deps, tally)
        calls = [block for block in reply.blocks if isinstance(block, ToolUse)]
        if calls:
            await answer_calls(deps, tally, calls, note=GO_ON if reply.stop_reason == "max_tokens" else "")
        await deps.emit(TurnEnded(tally.turns))
        if tally.halt or (not calls and not await after_answer(deps, tally, reply, progress)):
            return tally.result(terminal_reason=tally.halt or "completed")
        limits = deps.parts.limits
        if limits.max_turns is not None and tally.turns >= limits.max_turns:
            return tally.result(
                Subtype.MAX_TURNS, error=f"Stopped after {counted(tally.turns, 'turn')}.", terminal_reason="max_turns"
            )
        if limits.max_budget is not None and tally.cost >= limits.max_budget:
            spent = f"Stopped: ${tally.cost:.4f} of ${limits.max_budget} is spent."
            return tally.result(Subtype.MAX_BUDGET, error=spent, terminal_reason="budget_exhausted")
        await make_room(deps, tally, mid_turn=True)


async def _turn_with_room(deps: Deps, tally: Tally) -> Reply:
    try:
        return await turn(deps, tally)
    except (PromptTooLong, RequestTooLarge) as error:
        await react(deps, error)
        return await turn(deps, tally)
    except InvalidRequest as error:
        await mend(deps, error)
        return await turn(deps, tally)


async def _failed(deps: Deps, tally: Tally, error: CcagentError) -> RunResult:
    if not isinstance(error, TranscriptError):
        await _close(deps, tally, interrupted=False)
    if isinstance(error, PromptTooLong | RequestTooLarge):
        await give_back(deps, tally, error)
    result = await failed(error, tally, deps.emit)
    if isinstance(error, ModelError):
        stop_failure(deps, tally, failure_word(error), error.line)
    return result


async def _close(deps: Deps, tally: Tally, *, interrupted: bool) -> None:
    """A record that cannot be written is told beside what stopped the run, and takes its place nowhere."""
    if not tally.accepted:
        return
    try:
        close_open_calls(deps, tally, interrupted=interrupted)
    except TranscriptError as error:
        await failed(error, tally, deps.emit)
