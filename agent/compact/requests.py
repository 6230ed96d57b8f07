"""The two ways to ask for a summary: on the live cached prefix, and (the notes' streaming path) as plain text without tools."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from agent.compact.attempt import Attempt, Overflow
from agent.compact.deps import CompactDeps
from agent.compact.prompt import compact_prompt
from agent.compact.transcript_text import transcript_request
from agent.context.frame import build_request
from agent.protocol.errors import PromptTooLong, RequestTooLarge
from agent.protocol.messages import Message, user_message
from agent.protocol.meter import Reading, WindowSource
from agent.protocol.model import Request, ThinkingOff
from agent.protocol.source import QuerySource
from agent.tokens.messages import estimate_message

ANSWER_SHARE = 2  # a summary needs at least half of the output reserve (note 001: p99.99 is 17,387 of 20,000 tokens)


class Route(Protocol):
    """One way to ask; `edited` says that the history is no longer what the API has seen."""

    def request(self, messages: tuple[Message, ...], *, edited: bool) -> Request:
        """The compaction request for `messages`."""
        ...

    def excess(self, messages: tuple[Message, ...], *, edited: bool) -> Overflow | None:
        """How the API would refuse that request, when that is already known."""
        ...


class LivePrefix:
    """The same system, tools, thinking and max_tokens rule as a turn, and one more user message: the prefix is read from the cache."""

    def __init__(self, deps: CompactDeps, attempt: Attempt) -> None:
        self._deps = deps
        self._overflow = attempt.overflow
        self._less = (
            attempt.is_part and not attempt.split.kept_first
        )  # than the conversation whose size the meter knows
        self._prompt = user_message(compact_prompt(attempt.instructions, scope=attempt.scope))

    def request(self, messages: tuple[Message, ...], *, edited: bool) -> Request:
        """See Route; an edited history goes without thinking, because signatures are bound to what was before them."""
        deps = self._deps
        frame = msgspec.structs.replace(deps.frame, thinking=ThinkingOff()) if edited else deps.frame
        cleared = () if edited else deps.conversation.server_cleared
        reading = self._reading(messages, edited=edited)
        whole = (*messages, self._prompt)
        return build_request(frame, whole, reading, query_source=QuerySource.COMPACT, server_cleared=cleared)[0]

    def excess(self, messages: tuple[Message, ...], *, edited: bool) -> Overflow | None:
        """See Route; a turn that was just refused is not sent again with more behind it."""
        if isinstance(self._overflow, RequestTooLarge) and not edited:
            return self._overflow
        used = self._reading(messages, edited=edited).used
        if isinstance(self._overflow, PromptTooLong) and not edited:
            used = max(used or 0, self._overflow.used or 0)
        return _excess(self._deps, used, self._overflow)

    def _reading(self, messages: tuple[Message, ...], *, edited: bool) -> Reading:
        """The meter as this request finds it: the conversation and the instruction."""
        if edited or self._less:
            return _reading_of(self._deps, (*messages, self._prompt))
        reading = self._deps.reading()
        more = estimate_message(self._prompt, self._deps.frame.tokenizer)
        return reading if reading.used is None else msgspec.structs.replace(reading, used=reading.used + more)


class AsText:
    """The record as one message of plain text, for a summariser that is given no tools; `rejected` says why the last answer was no use."""

    def __init__(self, deps: CompactDeps, attempt: Attempt, rejected: str) -> None:
        self._deps = deps
        self._instructions = attempt.instructions
        self._scope = attempt.scope
        self._overflow = attempt.overflow
        self._rejected = rejected

    def request(self, messages: tuple[Message, ...], *, edited: bool) -> Request:
        """See Route."""
        bare = msgspec.structs.replace(self._deps.frame, tools=(), thinking=ThinkingOff())
        text = self._text(messages)
        reading = _reading_of(self._deps, text)
        return build_request(bare, text, reading, query_source=QuerySource.COMPACT)[0]

    def excess(self, messages: tuple[Message, ...], *, edited: bool) -> Overflow | None:
        """See Route."""
        return _excess(self._deps, _reading_of(self._deps, self._text(messages)).used, self._overflow)

    def _text(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        return transcript_request(messages, self._instructions, scope=self._scope, rejected=self._rejected)


def _reading_of(deps: CompactDeps, messages: Sequence[Message]) -> Reading:
    return msgspec.structs.replace(deps.reading(), used=deps.size(messages), estimated=True)


def _excess(deps: CompactDeps, used: int | None, overflow: Overflow | None) -> PromptTooLong | None:
    """By how much a prompt of `used` tokens leaves too little of the window for a summary; None when it does not, or nobody knows."""
    windows = deps.reading().windows
    said = overflow.limit if isinstance(overflow, PromptTooLong) else None
    if used is None or (said is None and windows.source is WindowSource.ASSUMED):
        return None
    most = min(windows.model, said or windows.model) - windows.reserve // ANSWER_SHARE
    return (
        PromptTooLong("The conversation leaves no room for a summary.", used=used, limit=most) if used > most else None
    )
