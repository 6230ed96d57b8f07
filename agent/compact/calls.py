"""The requests of one compaction: bounded in tries whatever goes wrong, counted in tokens, and never running a tool."""

from contextlib import aclosing

from agent.compact.attempt import Overflow
from agent.compact.bill import Bill
from agent.compact.deps import CompactDeps
from agent.compact.ptl_retry import MAX_PTL_RETRIES, shorten_for_retry
from agent.compact.requests import Route
from agent.protocol.errors import PromptTooLong, RequestTooLarge, ServerFailed, SummaryRejected
from agent.protocol.events import CompactProgress
from agent.protocol.messages import Message, Usage
from agent.protocol.model import Reply, Request, Retrying, TextPiece

COMPACT_ATTEMPTS = 3  # requests lost to the network or the server, in all, before a compaction has failed
SHORTENING = "the conversation is too long to summarise whole; shortening it"


class Calls:
    """One per compaction: both of its routes share the tries, so that no answer of a server makes it send for ever."""

    def __init__(self, deps: CompactDeps, bill: Bill) -> None:
        self.shortened = 0
        self._deps = deps
        self._bill = bill
        self._lost = 0

    async def reply(self, route: Route, history: tuple[Message, ...]) -> Reply:
        """One reply over `route`; what it sends is shortened beforehand when it cannot fit, and again each time the API says so.

        Raises PromptTooLong or RequestTooLarge when MAX_PTL_RETRIES are used up or nothing more can go.
        """
        messages, edited = self._fitting(route, history)
        if edited:
            await self._deps.emit(CompactProgress(characters=0, note=SHORTENING))
        while True:
            try:
                return await self._send(route.request(messages, edited=edited))
            except (PromptTooLong, RequestTooLarge) as error:
                shorter = self._shorter(messages, error)
                if self.shortened == MAX_PTL_RETRIES or shorter is None:
                    raise
                messages, edited = shorter, True
                self.shortened += 1
                note = f"{SHORTENING} ({self.shortened} of {MAX_PTL_RETRIES})"
                await self._deps.emit(CompactProgress(characters=0, note=note))

    def _fitting(self, route: Route, history: tuple[Message, ...]) -> tuple[tuple[Message, ...], bool]:
        """`history`, shortened by as much as it is known not to fit; no request is spent on what the API must refuse."""
        messages, edited = history, False
        for _ in range(MAX_PTL_RETRIES):
            excess = route.excess(messages, edited=edited)
            shorter = None if excess is None else self._shorter(messages, excess)
            if shorter is None:
                break
            messages, edited = shorter, True
        return messages, edited

    def _shorter(self, messages: tuple[Message, ...], error: Overflow) -> tuple[Message, ...] | None:
        return shorten_for_retry(messages, error, self._deps.frame.tokenizer)

    async def _send(self, request: Request) -> Reply:
        characters = 0
        async with aclosing(self._deps.model.stream(request)) as items:
            async for item in items:
                match item:
                    case Reply():
                        self._bill.add(item.usage or Usage())
                        return item
                    case TextPiece():
                        characters += len(item.text)
                        await self._deps.emit(CompactProgress(characters=characters))
                    case Retrying():
                        characters = 0
                        await self._weathered(item)
                    case _:
                        pass
        raise SummaryRejected("The summary ended without a result.")

    async def _weathered(self, retrying: Retrying) -> None:
        """Counts a lost request; raises ServerFailed when it was the last that a compaction may lose."""
        self._lost += 1
        if self._lost >= COMPACT_ATTEMPTS:
            raise ServerFailed(retrying.reason)
        note = f"{retrying.reason} Trying again in {retrying.delay:.0f} s ({self._lost} of {COMPACT_ATTEMPTS - 1})."
        await self._deps.emit(CompactProgress(characters=0, note=note))
