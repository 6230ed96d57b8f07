"""Gets a summary: on the live cached prefix, then as plain text without tools, then (only if the history no longer fits) extracted."""

from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import TypeAlias

import msgspec
from msgspec import Struct

from agent.compact.deps import CompactDeps
from agent.compact.extractive import extractive_summary
from agent.compact.prompt import compact_prompt
from agent.compact.ptl_retry import MAX_PTL_RETRIES, shorten_for_retry
from agent.compact.transcript_text import transcript_request
from agent.compact.validate import validate_summary
from agent.context.frame import build_request
from agent.models.prices import cost
from agent.protocol.errors import InvalidRequest, ModelError, PromptTooLong, RequestTooLarge, SummaryRejected
from agent.protocol.events import CompactProgress
from agent.protocol.messages import Message, Usage, user_message
from agent.protocol.meter import Reading
from agent.protocol.model import Reply, Request, Retrying, TextPiece, ThinkingOff
from agent.protocol.source import QuerySource
from agent.tokens.messages import estimate_message

Build: TypeAlias = Callable[[Sequence[Message], bool], Request]


class Summary(Struct, frozen=True, kw_only=True):
    """The text that replaces the history, what it cost (US dollars, None unknown) and how it was made."""

    text: str
    usage: Usage = Usage()
    cost: float | None = 0.0
    extractive: bool = False
    retries: int = 0


async def summarize(
    deps: CompactDeps, history: Sequence[Message], instructions: Sequence[str], *, must_fit: bool
) -> Summary:
    """A validated summary of `history`.

    With `must_fit` the next request cannot be sent as it is, so an extractive summary is better than none; so it is when the history
    cannot be summarised because it is too long, however much it was shortened. Otherwise ModelError or SummaryRejected is raised.
    """
    try:
        return await _from_model(deps, history, instructions)
    except (PromptTooLong, RequestTooLarge):
        return Summary(text=extractive_summary(history), extractive=True)
    except (ModelError, SummaryRejected):
        if not must_fit:
            raise
        return Summary(text=extractive_summary(history), extractive=True)


async def _from_model(deps: CompactDeps, history: Sequence[Message], instructions: Sequence[str]) -> Summary:
    replaced = sum(estimate_message(message, deps.frame.tokenizer) for message in history)
    usage = Usage()
    rejected: SummaryRejected | None = None
    for retries, chance in enumerate((_on_live_prefix, _without_tools)):
        build = chance(deps, instructions, rejected.what if rejected else "")
        reply = await _send_until_it_fits(deps, history, build)
        usage += reply.usage or Usage()
        try:
            text = validate_summary(reply, replaced, deps.frame.tokenizer)
        except SummaryRejected as error:
            rejected = error
            await deps.emit(
                CompactProgress(characters=0, note=f"the summary was refused: {error.what}; trying once more")
            )
            continue
        return Summary(text=text, usage=usage, cost=cost(deps.frame.model, usage), retries=retries)
    raise SummaryRejected(rejected.what if rejected else "no summary was written") from rejected


def _on_live_prefix(deps: CompactDeps, instructions: Sequence[str], rejected: str) -> Build:
    """The same system, tools and thinking as a turn, and one more user message: the prefix is read from the cache."""
    prompt = user_message(compact_prompt(instructions, rejected=rejected))

    def build(messages: Sequence[Message], edited: bool) -> Request:
        frame = msgspec.structs.replace(deps.frame, thinking=ThinkingOff()) if edited else deps.frame
        whole = (*messages, prompt)
        reading = _reading_of(deps, whole) if edited else _reading_with(deps, prompt)
        cleared = () if edited else deps.conversation.server_cleared
        return build_request(frame, whole, reading, query_source=QuerySource.COMPACT, server_cleared=cleared)[0]

    return build


def _without_tools(deps: CompactDeps, instructions: Sequence[str], rejected: str) -> Build:
    def build(messages: Sequence[Message], _edited: bool) -> Request:
        bare = msgspec.structs.replace(deps.frame, tools=(), thinking=ThinkingOff())
        text = transcript_request(messages, instructions, rejected)
        return build_request(bare, text, _reading_of(deps, text), query_source=QuerySource.COMPACT)[0]

    return build


def _reading_with(deps: CompactDeps, prompt: Message) -> Reading:
    """The meter as the compaction request finds it: the conversation and the instruction."""
    reading = deps.reading()
    more = estimate_message(prompt, deps.frame.tokenizer)
    return reading if reading.used is None else msgspec.structs.replace(reading, used=reading.used + more)


def _reading_of(deps: CompactDeps, messages: Sequence[Message]) -> Reading:
    return msgspec.structs.replace(deps.reading(), used=deps.size(messages), estimated=True)


async def _send_until_it_fits(deps: CompactDeps, history: Sequence[Message], build: Build) -> Reply:
    """One reply to the compaction request, shortened up to MAX_PTL_RETRIES times when it is itself too long."""
    messages, edited = tuple(history), False
    for attempt in range(MAX_PTL_RETRIES + 1):
        try:
            return await _send(deps, build(messages, edited))
        except (PromptTooLong, RequestTooLarge) as error:
            gap = error.gap if isinstance(error, PromptTooLong) else None
            shorter = shorten_for_retry(messages, gap, deps.frame.tokenizer)
            if attempt == MAX_PTL_RETRIES or shorter is None:
                raise
            messages, edited = shorter, True
            note = (
                f"the conversation is too long to summarise whole; shortening it ({attempt + 1} of {MAX_PTL_RETRIES})"
            )
            await deps.emit(CompactProgress(characters=0, note=note))
    raise InvalidRequest("The conversation is too long to summarise.")


async def _send(deps: CompactDeps, request: Request) -> Reply:
    """The reply to one request; its tool calls are never run."""
    characters = 0
    async with aclosing(deps.model.stream(request)) as items:
        async for item in items:
            match item:
                case Reply():
                    return item
                case TextPiece():
                    characters += len(item.text)
                    await deps.emit(CompactProgress(characters=characters))
                case Retrying():
                    characters = 0
                    note = f"{item.reason}; trying again in {item.delay:.0f} s ({item.attempt} of {item.max_attempts})"
                    await deps.emit(CompactProgress(characters=0, note=note))
                case _:
                    pass
    raise SummaryRejected("the answer ended without a result")
