"""What helps when a conversation is too long for the model: named only when it does."""

from agent.compact.deps import CompactDeps
from agent.compact.room import can_shrink
from agent.protocol.meter import Level, Reading

EDIT = (
    "No compaction helps here: /context lists the largest items and /context shrink N or drop N takes one out; "
    "/rewind goes back before it, /clear starts anew."
)


async def way_out(deps: CompactDeps, limit: int) -> str:
    """One line of advice for a conversation that must come under `limit` tokens."""
    if line := await floor_way_out(deps, limit):
        return line
    return "/compact or /clear to go on." if await can_shrink(deps, limit, mid_turn=False) else EDIT


async def context_way_out(deps: CompactDeps, reading: Reading) -> str:
    """The advice of /context where a limit is passed, "" elsewhere."""
    over = (reading.used or 0) > reading.window or reading.level is Level.BLOCKING
    if not over and (reading.used or 0) <= reading.windows.compaction:
        return ""
    limit = reading.tiers.blocking if over else reading.tiers.threshold
    if line := await floor_way_out(deps, limit):
        return line
    if deps.disabled:
        return f"run /clear to {'continue' if over else 'reduce usage'}."
    if not await can_shrink(deps, limit, mid_turn=False):
        return EDIT
    return "run /compact or /clear to continue." if over else "run /compact to reduce usage."


async def floor_way_out(deps: CompactDeps, limit: int) -> str:
    """The advice when what stands in every request reaches `limit` by itself, else ""."""
    floor = deps.size(await deps.context())
    if floor < limit:
        return ""
    return (
        f"System prompt, tools and instructions alone take ~{floor:,} tokens, which neither /compact nor /clear makes fewer: "
        "shorten CLAUDE.md, or leave files of it out with claudeMdExcludes."
    )
