"""Gets a summary: on the live cached prefix, then as plain text without tools, then (only if the history no longer fits) extracted."""

from msgspec import Struct

from agent.compact.attempt import Attempt
from agent.compact.calls import Calls
from agent.compact.deps import CompactDeps
from agent.compact.extractive import extractive_summary
from agent.compact.requests import AsText, LivePrefix
from agent.compact.validate import validate_summary
from agent.protocol.errors import (
    AuthenticationFailed,
    InvalidRequest,
    MissingCredentials,
    ModelError,
    NoSuchModel,
    PromptTooLong,
    RequestTooLarge,
    SummaryRejected,
)
from agent.protocol.events import CompactProgress
from agent.protocol.model import Reply

UNCHANGED = "The conversation is unchanged."
NOBODY_ANSWERS = (AuthenticationFailed, MissingCredentials, NoSuchModel)
"""Nor would the next turn be answered: extracts would take the summary's place for nothing."""


class Summary(Struct, frozen=True, kw_only=True):
    """The text that replaces the history, and how it was made; what it took is on the attempt's bill.

    `retries` counts second chances after an unusable answer, `shortened` how often the history was shortened to be summarised.
    """

    text: str
    model: str = ""
    extractive: bool = False
    retries: int = 0
    shortened: int = 0


async def summarize(deps: CompactDeps, attempt: Attempt) -> Summary:
    """A summary that stands the test of `validate`.

    When the next request cannot be sent as it is, an extractive summary is better than none; so it is when the history cannot be
    summarised because it is too long, however much it was shortened; not where nobody answers anyway. Otherwise ModelError or
    SummaryRejected is raised.
    """
    calls = Calls(deps, attempt.bill)
    try:
        text, retries = await _from_model(deps, attempt, calls)
        extractive = False
    except (ModelError, SummaryRejected) as error:
        if isinstance(error, NOBODY_ANSWERS) or not (
            attempt.must_fit or isinstance(error, PromptTooLong | RequestTooLarge)
        ):
            error.safe = UNCHANGED
            raise
        note = f"no summary could be had ({error.what.rstrip('.')}); taking extracts from the record instead"
        await deps.emit(CompactProgress(characters=0, note=note))
        text = extractive_summary(
            attempt.split.history, limit=deps.plain(attempt.room.for_summary), tokenizer=deps.frame.tokenizer
        )
        extractive, retries = True, 1
    return Summary(
        text=text,
        model=deps.frame.model,
        extractive=extractive,
        retries=retries,
        shortened=calls.shortened,
    )


async def _from_model(deps: CompactDeps, attempt: Attempt, calls: Calls) -> tuple[str, int]:
    """The model's summary, and how many second chances it took.

    One, as plain text, when the first answer is unusable or the API refuses the live prefix.
    """
    try:
        reply = await calls.reply(LivePrefix(deps, attempt), attempt.live)
        return _validated(deps, attempt, reply), 0
    except (PromptTooLong, RequestTooLarge, NoSuchModel):
        raise
    except (SummaryRejected, InvalidRequest) as error:
        first = error
    note = f"{first.what.rstrip('.')}; trying once more as text"
    await deps.emit(CompactProgress(characters=0, note=note))
    reason = first.what if isinstance(first, SummaryRejected) else ""
    reply = await calls.reply(AsText(deps, attempt, reason), attempt.history)
    return _validated(deps, attempt, reply), 1


def _validated(deps: CompactDeps, attempt: Attempt, reply: Reply) -> str:
    tokenizer = deps.frame.tokenizer
    return validate_summary(reply, attempt.replaced(tokenizer), tokenizer, room=deps.plain(attempt.room.for_summary))
