"""A result that is too large goes to a file before it is recorded: the conversation gets a preview and where the rest is."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from agent.compact.auto_compact import DUE
from agent.loop.deps import Deps
from agent.protocol.blocks import ToolResult, ToolUse
from agent.protocol.details import FileText
from agent.protocol.errors import FilesError
from agent.protocol.messages import Message
from agent.protocol.meter import Reading
from agent.protocol.tools import ToolOutput
from agent.tools.limits import PREVIEW_CHARS, keep, spill_file
from agent.tools.preview import preview

SPILL_TOKENS = 12_500  # of one result, unless `experiments.spillLimit` says otherwise
READ_TOKENS = 25_000  # Read bounds itself, and what it shows lies on disk anyway
UNSENT_SHARE = 2  # what one turn brought may take half of the way to the threshold
THRESHOLD_SHARE = 4  # in a small window no result may take more than a quarter of the way to the threshold


async def spilled(deps: Deps, call: ToolUse, output: ToolOutput) -> ToolOutput:
    """`output`, its text shortened when it exceeds the limit; what was left out can be read back from the named file.

    Nothing that was recorded is ever shortened by this: the history's bytes stay as they were first sent.
    """
    if len(output.text) <= PREVIEW_CHARS:
        return output
    limit = spill_limit(deps, call.name)
    size = deps.conversation.meter.counter.text(output.text)
    if size <= limit:
        return output
    if isinstance(output.details, FileText):
        return _page(deps, output, output.details, len(output.text) * limit // size)
    chars = min(PREVIEW_CHARS, len(output.text) * limit // size)
    where = await asyncio.to_thread(kept, output.text, deps.parts.spill_dir, call.id)
    text = preview(call.name, output.text, chars, where)
    return output if len(text) >= len(output.text) else msgspec.structs.replace(output, text=text)


async def spill_unsent(deps: Deps, reading: Reading) -> bool:
    """Whether results that are recorded but not yet sent were shortened too, the largest first: many of them can be too much together.

    Only when the threshold is crossed, and only down to half of it. It costs nothing: no cache holds them, no thinking is bound to them.
    """
    conversation, budget = deps.conversation, reading.tiers.threshold // UNSENT_SHARE
    if reading.level not in DUE:
        return False
    counter = conversation.meter.counter
    sizes = {result.tool_use_id: (counter.block(result), result) for result in _unsent(conversation.messages())}
    total = sum(size for size, _result in sizes.values())
    tools = {call.id: call.name for message in conversation.messages() for call in message.tool_uses}
    texts: dict[str, str] = {}
    for name, (size, result) in sorted(sizes.items(), key=lambda item: -item[1][0]):
        if total <= budget or len(result.text) <= PREVIEW_CHARS:
            break
        where = await asyncio.to_thread(kept, result.text, deps.parts.spill_dir, name)
        texts[name] = preview(tools.get(name, ""), result.text, PREVIEW_CHARS, where)
        total -= size - counter.text(texts[name])
    if texts:
        edits = conversation.edits
        conversation.edit(msgspec.structs.replace(edits, texts=edits.texts | texts), deps.parts.frame)
    return bool(texts)


def _unsent(messages: Sequence[Message]) -> list[ToolResult]:
    """The results after the last answer, all of them text."""
    answers = [at for at, message in enumerate(messages) if message.role == "assistant"]
    after = messages[answers[-1] + 1 :] if answers else ()
    return [result for message in after for result in message.tool_results if isinstance(result.content, str)]


def spill_limit(deps: Deps, tool: str) -> int:
    """The largest result of `tool` that is recorded whole, in tokens."""
    if deps.parts.spill_limit is not None:
        return deps.parts.spill_limit
    own = READ_TOKENS if tool == "Read" else SPILL_TOKENS
    return min(own, deps.reading().tiers.threshold // THRESHOLD_SHARE)


def kept(text: str, spill_dir: Path, tool_use_id: str) -> str:
    """Where `text` can be read, in words for the model; a file that the tool itself has written already is left as it is. Blocks."""
    file = spill_file(spill_dir, tool_use_id)
    try:
        if not os.path.exists(file):
            keep(text, spill_dir, tool_use_id)
    except FilesError as error:
        return error.what
    return f"all of it is in {file}: Read it with offset and limit, or Grep it"


def _page(deps: Deps, output: ToolOutput, file: FileText, chars: int) -> ToolOutput:
    """A file's own first lines: the rest needs no copy, because it can be read on from the file itself."""
    read_state = deps.conversation.read_state
    if (stamp := read_state.get(Path(file.path))) is not None:
        read_state.set(Path(file.path), msgspec.structs.replace(stamp, partial=True))
    end = output.text.rfind("\n", 0, chars)
    lines = output.text[:end].split("\n") if end > 0 else [output.text[:chars]]
    last = file.first_line + len(lines) - 1
    note = f"[PARTIAL view: lines {file.first_line}-{last} of {file.total_lines}. Go on with offset={last + 1}.]"
    details = msgspec.structs.replace(file, lines=len(lines), truncated=True)
    return msgspec.structs.replace(output, text="\n".join([*lines, note]), details=details)
