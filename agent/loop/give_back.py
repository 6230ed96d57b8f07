"""A prompt that is itself too long for the API leaves the conversation again: with it in place nothing that follows could be sent."""

from agent.compact.attempt import Overflow
from agent.compact.way_out import floor_way_out
from agent.loop.deps import Deps
from agent.loop.tally import Coming, Tally
from agent.protocol.errors import PromptTooLong
from agent.protocol.events import HistoryChanged, MeterChanged

SAFE = "The conversation is as it was before this prompt."
DO = "Send less of it at once, or name a file that holds it."
REASON = "too-long"


async def give_back(deps: Deps, tally: Tally, error: Overflow) -> None:
    """Ends the conversation before the prompt if it is unanswered and without it a request would fit; then `error` says so.

    What was recorded stays on record, as after a rewind, and the person gets the prompt back for editing. What came with it is not known
    any more: files that it attached count as unread, and what is told only once comes with the next prompt.
    """
    coming = tally.accepted
    if coming is None or tally.answered or not _fits_without(deps, coming, error):
        return
    deps.conversation.transcript.move_leaf(coming.leaf, REASON)
    deps.conversation.read_state.restore(coming.known)
    deps.parts.opening_held()
    deps.conversation.moved(deps.parts.frame.overhead)
    error.safe, error.do = SAFE, await floor_way_out(deps.compact, _limit(deps, error)) or DO
    await deps.emit(HistoryChanged("rewind", prompt=coming.text))
    await deps.emit(MeterChanged(deps.reading()))


def _fits_without(deps: Deps, coming: Coming, error: Overflow) -> bool:
    """The prompt's part is estimated like the whole, which the API may have counted otherwise."""
    reading = deps.reading()
    if not reading.used:
        return False
    counted = error.used if isinstance(error, PromptTooLong) else None
    others = max(0.0, 1 - coming.tokens / reading.used) * (counted or reading.used)
    return others < _limit(deps, error)


def _limit(deps: Deps, error: Overflow) -> int:
    said = error.limit if isinstance(error, PromptTooLong) else None
    return said or deps.reading().tiers.blocking
