"""One turn: the view becomes a request, the stream becomes a reply, the reply is recorded."""

from contextlib import aclosing
from typing import assert_never

from agent.compact.server_clears import confirm_clears
from agent.context.frame import build_request
from agent.loop.deps import Deps
from agent.loop.tally import Tally
from agent.protocol.errors import StreamBroken
from agent.protocol.events import (
    AssistantDone,
    MeterChanged,
    Notice,
    RetryScheduled,
    TextDelta,
    ThinkingDelta,
    TurnStarted,
)
from agent.protocol.messages import Message
from agent.protocol.model import Delta, Reply, Request, Retrying, TextPiece, ThinkingPiece, ToolPiece


async def turn(deps: Deps, tally: Tally) -> Reply:
    """The model's answer to the conversation as it stands, recorded; raises ModelError with nothing recorded."""
    conversation = deps.conversation
    messages = [entry.message for entry in conversation.sent()]
    request, notices = build_request(
        deps.parts.frame,
        messages,
        deps.reading(),
        server_cleared=conversation.server_cleared,
        watch=conversation.cache_watch,
    )
    for notice in conversation.untold(notices):
        await deps.emit(Notice(level="info", text=notice))
    tally.turns += 1
    await deps.emit(TurnStarted(turn=tally.turns))
    sent = deps.parts.clock.monotonic()
    reply = await _stream(deps, tally, request)
    await _record(deps, tally, reply)
    if (miss := conversation.cache_watch.answered(request, reply, sent)) is not None:
        await deps.emit(Notice(level="info", text=miss.line))
        deps.parts.log.event("cache_miss", tokens=miss.tokens, cause=miss.cause, contradicted_by=miss.server)
    return reply


async def _stream(deps: Deps, tally: Tally, request: Request) -> Reply:
    tally.partial.clear()
    async with aclosing(deps.parts.model.stream(request)) as items:
        async for item in items:
            if isinstance(item, Reply):
                return item
            await _show(deps, tally, item)
    raise StreamBroken("The answer ended without a result.", safe="Nothing is lost.", do="Send the prompt again.")


async def _show(deps: Deps, tally: Tally, delta: Delta) -> None:
    match delta:
        case TextPiece():
            tally.partial.append(delta.text)
            await deps.emit(TextDelta(delta.text))
        case ThinkingPiece():
            await deps.emit(ThinkingDelta(delta.text))
        case Retrying():
            tally.partial.clear()
            await deps.emit(RetryScheduled(delta.attempt, delta.max_attempts, delta.delay, delta.reason))
        case ToolPiece():
            pass
        case _:
            assert_never(delta)


async def _record(deps: Deps, tally: Tally, reply: Reply) -> None:
    message = Message(role="assistant", blocks=reply.blocks)
    tally.replied(reply, message.text)
    tally.partial.clear()
    deps.conversation.breaker.turn()
    if not reply.blocks:
        return  # a reply without content is legal, but an empty message is not: the next request simply goes on
    confirm_clears(deps.conversation, deps.parts.frame)  # before the answer: its usage is counted with them in force
    entry = deps.conversation.transcript.append_message(
        message,
        usage=reply.usage,
        message_id=reply.message_id,
        model=reply.model,
        stop_reason=reply.stop_reason,
    )
    if reply.usage is not None:
        deps.conversation.meter.observe(deps.conversation.messages(), reply.usage)
    await deps.emit(
        AssistantDone(
            uuid=entry.uuid,
            message=message,
            message_id=reply.message_id,
            model=reply.model,
            stop_reason=reply.stop_reason,
            usage=reply.usage,
        )
    )
    await deps.emit(MeterChanged(deps.reading()))
