"""Rules for cache marks: how many, where, and in which order."""

from collections.abc import Iterator

from agent.rehearsal.prompt import THINKING, Prompt
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.wire import Json, as_list, as_object, as_text, kind

MAX_MARKS = 4
TTLS = (None, "5m", "1h")


def marks(prompt: Prompt) -> None:
    """At most four marks, well formed, on blocks that can carry one, the long-lived first."""
    found = list(_marked(prompt))
    for where, block in found:
        _mark(where, block)
    if len(found) > MAX_MARKS:
        raise Refusal(
            "cache.count", f"A maximum of {MAX_MARKS} blocks with cache_control may be provided. Found {len(found)}."
        )
    ttls = [_ttl(block) for _, block in found]
    if "1h" in ttls[ttls.index("5m") :] if "5m" in ttls else False:
        raise Refusal(
            "cache.order", "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."
        )


def automatic(prompt: Prompt) -> None:
    """The top-level mark takes one of the four slots, and agrees with the last block's own mark."""
    top = prompt.body.get("cache_control")
    if top is None:
        return
    _mark("cache_control", {"type": "", "cache_control": top})
    found = [block for _, block in _marked(prompt)]
    if len(found) >= MAX_MARKS:
        raise Refusal("cache.automatic", f"cache_control: all {MAX_MARKS} cache_control slots are already in use")
    last = prompt.pieces[-1].mark if prompt.pieces else None
    if last is not None and (last.get("ttl") or "5m") != (as_object(top).get("ttl") or "5m"):
        raise Refusal("cache.automatic", "cache_control: the last block already has cache_control with another ttl")


def _mark(where: str, block: Json) -> None:
    mark = block.get("cache_control")
    if not isinstance(mark, dict) or mark.get("type") != "ephemeral" or mark.get("ttl") not in TTLS:
        raise Refusal("cache.shape", f"{where}.cache_control: Input should be ephemeral with ttl '5m' or '1h'")
    if kind(block) in THINKING:
        raise Refusal("cache.place", f"{where}.{kind(block)}.cache_control: Extra inputs are not permitted")
    if kind(block) == "text" and not as_text(block.get("text")):
        raise Refusal("cache.place", f"{where}.text: cache_control cannot be set for empty text blocks")


def _ttl(block: Json) -> str:
    return as_text(as_object(block.get("cache_control")).get("ttl")) or "5m"


def _marked(prompt: Prompt) -> Iterator[tuple[str, Json]]:
    for where, block in _blocks(prompt):
        if block.get("cache_control") is not None:
            yield where, block


def _blocks(prompt: Prompt) -> Iterator[tuple[str, Json]]:
    yield from ((f"tools.{place}", tool) for place, tool in enumerate(prompt.tools))
    yield from ((f"system.{place}", block) for place, block in enumerate(prompt.system))
    for message in prompt.messages:
        for place, block in enumerate(message.blocks):
            where = f"messages.{message.index}.content.{place}"
            if kind(block) == "tool_result":
                parts = as_list(block.get("content"))
                yield from ((f"{where}.content.{n}", as_object(part)) for n, part in enumerate(parts))
            yield where, block
