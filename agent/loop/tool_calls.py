"""Answers a turn's calls: readers side by side, everything else one by one, results and all that follows from them in call order."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from agent.loop.deps import Deps
from agent.loop.interrupt import result_block
from agent.loop.one_call import attempt
from agent.loop.tally import Tally
from agent.prompts.reminder import reminder
from agent.protocol.blocks import Text, ToolUse
from agent.protocol.details import FileText
from agent.protocol.events import MeterChanged, ToolResultsRecorded
from agent.protocol.messages import Message

MAX_CONCURRENCY = 10  # reference 2.4: CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY


async def answer_calls(deps: Deps, tally: Tally, calls: Sequence[ToolUse], *, note: str = "") -> None:
    """Runs `calls` and records one user message that answers them all; `note` is what the model must know besides."""
    tally.calling = True
    tally.outcomes.clear()
    tally.begun.clear()
    tally.hook_context.clear()
    denied = len(tally.denials)
    for batch in _batches(deps, calls):
        await _run_batch(deps, tally, batch)
    order = [call.id for call in calls]
    tally.denials[denied:] = sorted(tally.denials[denied:], key=lambda denial: order.index(denial.tool_use_id))
    results = tuple(result_block(call.id, tally.outcomes[call.id]) for call in calls)
    said = (
        *([note] if note else []),
        *(text for id_ in order for text in tally.hook_context.get(id_, ())),
        *deps.parts.hooks.late(),
    )
    notes = tuple(Text(text=reminder(note)) for note in said)
    message = Message(role="user", blocks=(*results, *notes))
    details = tuple((call.id, shown) for call in calls if (shown := tally.outcomes[call.id].details) is not None)
    entry = deps.conversation.transcript.append_message(message, tool_details=details)
    tally.calling = False
    await deps.emit(ToolResultsRecorded(uuid=entry.uuid, message=message))
    await deps.emit(MeterChanged(deps.reading()))


def _batches(deps: Deps, calls: Sequence[ToolUse]) -> Iterator[tuple[ToolUse, ...]]:
    """Runs of neighbouring read-only calls together, every other call alone."""

    def read_only(call: ToolUse) -> bool:
        tool = deps.parts.tools.get(call.name)
        return tool is not None and tool.spec.read_only

    for side_by_side, group in groupby(calls, key=read_only):
        if side_by_side:
            yield from _side_by_side(group)
        else:
            yield from ((call,) for call in group)


def _side_by_side(calls: Iterable[ToolUse]) -> Iterator[tuple[ToolUse, ...]]:
    """At most MAX_CONCURRENCY together, and no file twice: what is known of a file is what its last call has seen."""
    batch: list[ToolUse] = []
    for call in calls:
        path = call.input.get("file_path")
        if len(batch) == MAX_CONCURRENCY or (
            path is not None and any(one.input.get("file_path") == path for one in batch)
        ):
            yield tuple(batch)
            batch.clear()
        batch.append(call)
    yield tuple(batch)


async def _run_batch(deps: Deps, tally: Tally, batch: tuple[ToolUse, ...]) -> None:
    async with asyncio.TaskGroup() as group:
        for call in batch:
            group.create_task(attempt(deps, tally, call))
    for call in batch:
        details = tally.outcomes[call.id].details
        if isinstance(details, FileText):
            await _has_read(deps, tally, call, Path(details.path))


async def _has_read(deps: Deps, tally: Tally, call: ToolUse, path: Path) -> None:
    """Files that were read side by side count as read one after the other, in the order of the calls.

    Neither what a compaction gives back nor which instructions come with which file may hang on a race.
    """
    read_state = deps.conversation.read_state
    if (stamp := read_state.get(path)) is not None:
        read_state.set(path, stamp)
    tally.told(call.id, await deps.parts.nested_memory(path))
