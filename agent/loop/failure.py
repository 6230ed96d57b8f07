"""A failure in a person's words, and what the prompt came to with it."""

from agent.loop.tally import Tally
from agent.protocol.errors import CcagentError, CompactUnavailable, ContextLimitReached, ModelError, PromptTooLong
from agent.protocol.events import Emit, Failed
from agent.protocol.results import Failure, RunResult, Subtype


async def failed(error: CcagentError, tally: Tally, emit: Emit) -> RunResult:
    """Tells the failure; the result that the prompt has with it."""
    await emit(Failed(Failure(what=error.what, safe=error.safe, do=error.do)))
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
