"""Where the Reading went: rows that add up to it exactly, and the largest items."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from agent.context.sources import Contents, Source, source_of, source_sizes
from agent.protocol.blocks import ToolResult, ToolUse
from agent.protocol.meter import Reading
from agent.tokens.counter import TokenCounter
from agent.tools.titles import title_of

LARGEST = 10

Kind: TypeAlias = Literal["used", "free", "buffer"]


class Category(Struct, frozen=True):
    """One row: tokens of something used, free, or kept in reserve."""

    name: str
    tokens: int
    kind: Kind = "used"


class Item(Struct, frozen=True):
    """One block or file of the conversation: what it is, in words, its estimated tokens, and (message, block) where it stands.

    `place` is None for what is no block of its own and cannot be edited here: a memory file.
    """

    name: str
    tokens: int
    place: tuple[int, int] | None = None


class Breakdown(Struct, frozen=True):
    """Rows of kind "used" add up to the Reading's `used` (to our estimate while that is unknown); all rows to the window, unless it is exceeded.

    `largest` holds the largest items, the largest first, by the same measure as the rows.
    """

    categories: tuple[Category, ...]
    largest: tuple[Item, ...] = ()

    @property
    def used(self) -> int:
        """The sum of the used rows, in tokens."""
        return sum(row.tokens for row in self.categories if row.kind == "used")


def breakdown(contents: Contents, reading: Reading, counter: TokenCounter, *, most: int = LARGEST) -> Breakdown:
    """Splits `reading` over its sources in proportion to their estimates; rows of nothing are left out, `most` items are named."""
    sizes = source_sizes(contents, counter)
    used = sum(sizes.values()) if reading.used is None else reading.used
    shares = _apportion(sizes, used)
    rows = [Category(name=source.value, tokens=tokens) for source, tokens in shares.items() if tokens]
    scale = used / max(1, sum(sizes.values()))
    largest = tuple(
        msgspec.structs.replace(item, tokens=round(item.tokens * scale))
        for item in largest_items(contents, counter, most)
    )
    return Breakdown(categories=(*rows, *_unused(used, reading)), largest=largest)


def _apportion(sizes: Mapping[Source, int], total: int) -> dict[Source, int]:
    """Whole tokens in proportion to `sizes`, adding up to `total`: what rounding down leaves goes to the largest remainders."""
    estimated = sum(sizes.values())
    if estimated == 0:
        return {Source.SYSTEM_PROMPT: total}
    shares = {source: size * total // estimated for source, size in sizes.items()}
    left = total - sum(shares.values())
    by_remainder = sorted(sizes, key=lambda source: -(sizes[source] * total % estimated))
    for source in by_remainder[:left]:
        shares[source] += 1
    return shares


def _unused(used: int, reading: Reading) -> tuple[Category, Category]:
    """Free space up to the threshold, and the buffer between it and the model window."""
    free = max(0, reading.tiers.threshold - used)
    name = "Reserve for answers" if reading.tiers.auto_compact is None else "Auto-compact buffer"
    buffer = max(0, reading.window - used - free)
    return Category(name="Free space", tokens=free, kind="free"), Category(name=name, tokens=buffer, kind="buffer")


def largest_items(contents: Contents, counter: TokenCounter, most: int = LARGEST) -> tuple[Item, ...]:
    """The `most` largest items, the largest first."""
    calls = {call.id: title_of(call) for message in contents.messages for call in message.tool_uses}
    items = [Item(name=f"Memory file {file.path}", tokens=counter.text(file.text)) for file in contents.memory]
    items += _blocks(contents, calls, counter)
    return tuple(sorted(items, key=lambda item: -item.tokens)[:most])


def _blocks(contents: Contents, calls: Mapping[str, str], counter: TokenCounter) -> list[Item]:
    items, unlisted = [], {id(message) for message in contents.unlisted}
    for number, message in enumerate(contents.messages):
        if id(message) in unlisted:
            continue
        for index, block in enumerate(message.blocks):
            place = (number, index)
            what = contents.names.get(place) or source_of(block, message).value.lower()
            if isinstance(block, ToolUse):
                what = f"call of {title_of(block)}"
            elif isinstance(block, ToolResult):
                what = f"result of {calls.get(block.tool_use_id, 'a tool')}"
            items.append(Item(name=f"Message {number + 1}: {what}", tokens=counter.block(block), place=place))
    return items
