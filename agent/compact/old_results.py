"""Which old tool results could be cleared: what the model has used, what can be had again, and nothing it still works with."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from agent.context.rewrite import COMPACTABLE_TOOLS
from agent.protocol.blocks import Text, ToolResult, ToolUse
from agent.tokens.counter import TokenCounter
from agent.transcript.entries import MessageEntry

NEWEST_TOKENS = 40_000  # of results that always stay; in a small window a quarter of the threshold
NEWEST_ROUNDS = 2  # the results of the last rounds stay whatever their size
WORKING_FILES = 5  # the latest look at each of the files worked with last stays
FILE_TOOLS = ("Read", "Edit", "Write")


class OldResult(Struct, frozen=True):
    """A result with its call, its place in the view and its tokens; `stays` when it must not be cleared."""

    place: int
    call: ToolUse
    result: ToolResult
    tokens: int
    stays: bool


def compactable_results(
    view: Sequence[MessageEntry],
    counter: TokenCounter,
    *,
    threshold: int,
    pinned: Collection[str],
    cleared: Collection[str],
) -> tuple[OldResult, ...]:
    """The results of the notes' tools in `view`, oldest first, without those of the `cleared` calls."""
    calls = {call.id: call for entry in view for call in entry.message.tool_uses}
    found = [
        (place, calls[block.tool_use_id], block, counter.block(block))
        for place, entry in enumerate(view)
        for block in entry.message.tool_results
        if block.tool_use_id in calls and calls[block.tool_use_id].name in COMPACTABLE_TOOLS
    ]
    staying = {*pinned, *_newest(found, min(NEWEST_TOKENS, threshold // 4)), *_working_files(found)}
    return tuple(
        OldResult(place, call, result, tokens, stays=call.id in staying or not _can_be_had_again(call, result))
        for place, call, result, tokens in found
        if call.id not in cleared
    )


def text_of(result: ToolResult) -> str:
    """The text of a result; pictures are not text."""
    if isinstance(result.content, str):
        return result.content
    return "\n".join(part.text for part in result.content if isinstance(part, Text))


def _can_be_had_again(call: ToolUse, result: ToolResult) -> bool:
    """Whether everything it said can be put aside as text; a picture only if Read can bring it back."""
    return call.name == "Read" or isinstance(result.content, str) or all(isinstance(p, Text) for p in result.content)


_Found = tuple[int, ToolUse, ToolResult, int]


def _newest(found: Sequence[_Found], budget: int) -> set[str]:
    last_places = sorted({place for place, *_rest in found})[-NEWEST_ROUNDS:]
    kept: set[str] = set()
    for place, call, _result, tokens in reversed(found):
        budget -= tokens
        if budget < 0 and place not in last_places:
            break
        kept.add(call.id)
    return kept


def _working_files(found: Sequence[_Found]) -> set[str]:
    """The latest Read of each of the files that were read or changed last."""
    latest: dict[Path, str] = {}
    for _place, call, _result, _tokens in reversed(found):
        path = _path_of(call.input)
        if call.name not in FILE_TOOLS or path is None or (path not in latest and len(latest) == WORKING_FILES):
            continue
        latest[path] = latest.get(path) or (call.id if call.name == "Read" else "")
    return {name for name in latest.values() if name}


def _path_of(arguments: Mapping[str, object]) -> Path | None:
    path = arguments.get("file_path")
    return Path(path) if isinstance(path, str) else None
