"""A prompt that takes much of what is free goes out without delay, and the person is told what it comes to."""

from agent.compact.report import dollars
from agent.loop.deps import Deps
from agent.models.prices import cost
from agent.protocol.events import Notice
from agent.protocol.messages import Message, Usage

LARGE_SHARE = 2  # half of the way to the threshold


async def tell_if_large(deps: Deps, messages: tuple[Message, ...]) -> None:
    """One line on `messages`, the prompt that is about to be recorded with what it attaches, when they are large: tokens, price, what remains."""
    conversation, reading = deps.conversation, deps.reading()
    tokens, threshold = conversation.meter.estimate(messages, 0), reading.tiers.threshold
    if tokens * LARGE_SHARE <= threshold:
        return
    price = cost(deps.parts.frame.model, Usage(cache_creation=tokens))
    sent = "" if price is None else f" (~{dollars(price)} to send)"
    left = threshold - tokens - (reading.used or 0)
    limit = "auto-compact" if reading.auto else "prompts are held"
    remains = f"~{left:,} remain until {limit}" if left > 0 else f"nothing remains until {limit}"
    await deps.emit(Notice(level="info", text=f"This prompt is large: ~{tokens:,} tokens{sent}; {remains}."))
