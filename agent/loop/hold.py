"""A prompt that does not fit, whatever stands before it, is held: no compaction is made for it in vain, and nothing is recorded."""

from agent.loop.deps import Deps
from agent.protocol.errors import ContextLimitReached
from agent.protocol.messages import user_message

DO = "Shorten it, or put it in a file that can be read in parts."


def hold_too_long(deps: Deps, *texts: str) -> None:
    """Raises ContextLimitReached when `texts` alone reach the blocking limit; where system prompt and tools take more, they are not to blame."""
    compact = deps.compact
    tokens, overhead = compact.conversation.meter.estimate([user_message(text) for text in texts], 0), compact.size(())
    limit = deps.reading().tiers.blocking
    if tokens <= overhead or tokens + overhead < limit:
        return
    what = f"The prompt is too long: ~{tokens:,} tokens, and at most {limit - overhead:,} fit."
    raise ContextLimitReached(what, safe="It was not sent.", do=DO)
