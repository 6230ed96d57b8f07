"""The floor: what stands in every request and no compaction can shrink."""

from collections.abc import Sequence

from agent.context.sources import MemoryText, tool_size
from agent.protocol.meter import Tiers
from agent.protocol.model import ToolSpec
from agent.tokens.counter import TokenCounter

_SHARE = 0.6
_NAMED = 5  # tools and files named one by one, the largest first


def floor_notice(
    system: Sequence[str],
    tools: Sequence[ToolSpec],
    memory: Sequence[MemoryText],
    tiers: Tiers,
    counter: TokenCounter,
) -> str | None:
    """One itemised line when system, tools and memory alone exceed 0.6 of the threshold T, else None."""
    system_size = sum(counter.text(text) for text in system)
    by_tool = {tool.name: tool_size(tool, counter) for tool in tools}
    by_file = {file.path: counter.text(file.text) for file in memory}
    total = system_size + sum(by_tool.values()) + sum(by_file.values())
    if total <= _SHARE * tiers.threshold:
        return None
    return (
        f"System prompt, tools and memory alone take ~{total:,} of the {tiers.threshold:,} tokens before compaction, and no "
        f"compaction can shrink them: system prompt {system_size:,}, tools {_itemised(by_tool)}, memory {_itemised(by_file)}."
    )


def _itemised(sizes: dict[str, int]) -> str:
    if not sizes:
        return "0"
    largest = sorted(sizes.items(), key=lambda pair: -pair[1])[:_NAMED]
    named = ", ".join(f"{name} {size:,}" for name, size in largest)
    return f"{sum(sizes.values()):,} ({named}{', …' if len(sizes) > _NAMED else ''})"
