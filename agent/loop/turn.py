"""One turn: the view becomes a request, the stream becomes a reply, the reply is recorded."""

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
from agent.protocol.model import Reply, Request, Retrying, TextPiece, ThinkingPiece, ToolPiece


async def turn(deps: Deps, tally: Tally) -> Reply:
    """The model's answer to the conversation as it stands, recorded; raises ModelError with nothing recorded."""
    request, notices = build_request(deps.parts.frame, deps.conversation.messages(), deps.reading())
    for notice in notices:
        await deps.emit(Notice(level="info", text=notice))
    tally.turns += 1
    await deps.emit(TurnStarted(turn=tally.turns))
    reply = await _stream(deps, tally, request)
    await _record(deps, tally, reply)
    return reply


async def _stream(deps: Deps, tally: Tally, request: Request) -> Reply:
    tally.partial.clear()
    async for item in deps.parts.model.stream(request):
        match item:
            case TextPiece():
                tally.partial.append(item.text)
                await deps.emit(TextDelta(item.text))
            case ThinkingPiece():
                await deps.emit(ThinkingDelta(item.text))
            case Retrying():
                tally.partial.clear()
                await deps.emit(RetryScheduled(item.attempt, item.max_attempts, item.delay, item.reason))
            case ToolPiece():
                pass
            case Reply():
                return item
    raise StreamBroken("The answer ended without a result.", safe="Nothing is lost.", do="Send the prompt again.")


async def _record(deps: Deps, tally: Tally, reply: Reply) -> None:
    message = Message(role="assistant", blocks=reply.blocks)
    tally.replied(reply, message.text)
    tally.partial.clear()
    deps.conversation.breaker.turn()
    if not reply.blocks:
        return  # a reply without content is legal, but an empty message is not: the next request simply goes on
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
