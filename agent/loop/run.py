"""One prompt to its answer, in a straight line; the only place that catches an interrupt."""

import asyncio

import msgspec

from agent.loop.accept import Body, accept
from agent.loop.deps import Deps
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
    CompactUnavailable,
    ContextLimitReached,
    InvalidRequest,
    ModelError,
    PromptTooLong,
    RequestTooLarge,
    TranscriptError,
)
from agent.protocol.events import Failed, Interrupted, PromptFinished, TurnEnded
from agent.protocol.model import Reply
from agent.protocol.results import Failure, RunResult, Subtype
from agent.protocol.text import counted


async def run(deps: Deps, prompt: str, body: Body | None = None) -> RunResult:
    """Answers `prompt` (with what a custom command stands for as its `body`); always ends with PromptFinished, with a history that the next request may carry."""
    tally = Tally(deps.parts.clock)
    deps = msgspec.structs.replace(deps, emit=tally.noting(deps.emit))
    try:
        result = await _to_the_answer(deps, tally, prompt, body)
    except asyncio.CancelledError:
        if tally.accepted:
            close_open_calls(deps, tally, interrupted=True)
        await deps.emit(Interrupted())
        await deps.emit(
            PromptFinished(tally.result(Subtype.DURING_EXECUTION, error="Interrupted.", terminal_reason="aborted"))
        )
        raise
    except CcagentError as error:
        result = await _failed(deps, tally, error)
    await deps.emit(PromptFinished(result))
    return result


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
    if tally.accepted and not isinstance(error, TranscriptError):
        close_open_calls(deps, tally, interrupted=False)
    if isinstance(error, PromptTooLong | RequestTooLarge):
        await give_back(deps, tally, error)
    await deps.emit(Failed(Failure(what=error.what, safe=error.safe, do=error.do)))
    if isinstance(error, ModelError):
        await stop_failure(deps, tally, failure_word(error), error.line)
    return tally.result(Subtype.DURING_EXECUTION, error=error.line, terminal_reason=_terminal_reason(error))


def _terminal_reason(error: CcagentError) -> str:
    """The `terminal_reason` words of the reference, section 4."""
    match error:
        case ContextLimitReached():
            return "blocking_limit"
        case CompactUnavailable():
            return "rapid_refill_breaker"
        case PromptTooLong():
            return "prompt_too_long"
        case ModelError():
            return "api_error"
        case _:
            return "error"
