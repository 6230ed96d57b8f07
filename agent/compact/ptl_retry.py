"""When the compaction request is itself too long: shorten huge results, then drop the oldest rounds (notes: truncateHeadForPTLRetry)."""

from collections.abc import Sequence

import msgspec

from agent.protocol.blocks import (
    Block,
    Document,
    Image,
    RedactedThinking,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    block_to_json,
)
from agent.protocol.errors import PromptTooLong, RequestTooLarge
from agent.protocol.messages import Message, user_message
from agent.tokens.messages import estimate_message
from agent.transcript.rounds import group_rounds

MAX_PTL_RETRIES = 3  # design note 000 section 3
BLIND_SHARE = 5  # without a parsed gap, drop one fifth
GAP_MARGIN = 1_000  # tokens, and a tenth of the gap
HUGE_RESULT = 2_000  # characters kept of a long tool result or argument, half from each end
HUGE_TEXT = 60_000  # characters kept of a text: a paste may be longer, an earlier summary is not
MARK = 60  # characters that tell of a cut
HEAD_MARKER = "[Earlier messages were left out because the conversation was too long.]"


def shorten_for_retry(
    messages: Sequence[Message], error: PromptTooLong | RequestTooLarge, tokenizer: str
) -> tuple[Message, ...] | None:
    """A shorter history to summarise, or None when nothing more can go.

    First the middle of huge tool results and all media, if that alone covers the gap that `error` names (a fifth of everything when
    it names none), or if it is the bytes or the media that are too many and there are media; else also the oldest rounds. Thinking is
    stripped, because an edited history no longer matches its signatures.
    """
    slim = tuple(slim_message(message) for message in messages)
    in_bytes = isinstance(error, RequestTooLarge)
    size = _bytes(messages) if in_bytes else _size(messages, tokenizer)
    saved = size - (_bytes(slim) if in_bytes else _size(slim, tokenizer))
    gap = None if isinstance(error, RequestTooLarge) else _gap(error, size)
    needed = size // BLIND_SHARE if gap is None else gap
    if saved >= needed > 0 or (in_bytes and _has_media(messages)):
        return slim
    shorter = truncate_head_for_ptl_retry(slim, None if gap is None else needed - saved, tokenizer)
    return slim if shorter is None and saved > 0 else shorter


def _has_media(messages: Sequence[Message]) -> bool:
    blocks = [block for message in messages for block in message.blocks]
    inside = [
        part
        for block in blocks
        if isinstance(block, ToolResult) and isinstance(block.content, list)
        for part in block.content
    ]
    return any(isinstance(block, Image | Document) for block in (*blocks, *inside))


def _gap(error: PromptTooLong, size: int) -> int | None:
    """How many of `size` estimated tokens must go: the API's count and our estimate differ, so its gap is taken as a share."""
    if error.gap is None:
        return None
    gap = error.gap + error.gap // 10 + GAP_MARGIN
    return min(gap, gap * size // error.used) if error.used else gap


def truncate_head_for_ptl_retry(
    messages: Sequence[Message], gap: int | None, tokenizer: str
) -> tuple[Message, ...] | None:
    """`messages` without enough of the oldest API rounds to free `gap` tokens (a fifth of the rounds when unknown).

    The last round always stays; None when there is only one. A head that would be an assistant message gets a synthetic user marker.
    """
    rounds = group_rounds(messages)
    if len(rounds) < 2:
        return None
    drop = 0
    if gap is None:
        drop = max(1, len(rounds) // BLIND_SHARE)
    else:
        freed = 0
        while drop < len(rounds) - 1 and (freed < gap or drop == 0):
            freed += _size([messages[i] for i in rounds[drop]], tokenizer)
            drop += 1
    kept = tuple(messages[rounds[drop].start :])
    return (user_message(HEAD_MARKER), *kept)


def slim_message(message: Message) -> Message:
    """`message` without thinking and media; long tool results, arguments and pastes cut in the middle."""
    blocks = tuple(slim for block in message.blocks if (slim := _slim_block(block)) is not None)
    return msgspec.structs.replace(message, blocks=blocks or (Text(text="[left out]"),))


def _slim_block(block: Block) -> Block | None:
    if isinstance(block, Thinking | RedactedThinking):
        return None
    if isinstance(block, Image | Document):
        return Text(text=f"[{block.__class__.__name__.lower()} left out]")
    if isinstance(block, ToolResult):
        content = _cut(block.text, HUGE_RESULT) or "(no output)"
        return ToolResult(tool_use_id=block.tool_use_id, content=content, is_error=block.is_error)
    if isinstance(block, ToolUse):
        return ToolUse(
            id=block.id, name=block.name, input={key: _argument(value) for key, value in block.input.items()}
        )
    return Text(text=_cut(block.text, HUGE_TEXT)) if isinstance(block, Text) and len(block.text) > HUGE_TEXT else block


def _argument(value: object) -> object:
    return _cut(value, HUGE_RESULT) if isinstance(value, str) else value


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = (limit - MARK) // 2  # with its mark within the limit, so that what was cut is not cut again
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"


def _size(messages: Sequence[Message], tokenizer: str) -> int:
    return sum(estimate_message(message, tokenizer) for message in messages)


def _bytes(messages: Sequence[Message]) -> int:
    return sum(len(block_to_json(block)) for message in messages for block in message.blocks)
