"""When the compaction request is itself too long: shorten huge results, then drop the oldest rounds (notes: truncateHeadForPTLRetry)."""

from collections.abc import Sequence

import msgspec

from agent.protocol.blocks import Block, Document, Image, RedactedThinking, Text, Thinking, ToolResult
from agent.protocol.messages import Message, user_message
from agent.tokens.messages import estimate_message
from agent.transcript.rounds import group_rounds

MAX_PTL_RETRIES = 3  # design note 000 section 3
BLIND_SHARE = 5  # without a parsed gap, drop one fifth
GAP_MARGIN = 1_000
HUGE_RESULT = 2_000  # characters kept of a long tool result, half from each end
HEAD_MARKER = "[Earlier messages were left out because the conversation was too long.]"


def shorten_for_retry(messages: Sequence[Message], gap: int | None, tokenizer: str) -> tuple[Message, ...] | None:
    """A shorter history to summarise, or None when nothing more can go.

    First the middle of huge tool results and all media, if that alone covers the gap; else also the oldest rounds. Thinking is
    stripped, because an edited history no longer matches its signatures.
    """
    slim = tuple(slim_message(message) for message in messages)
    saved = _size(messages, tokenizer) - _size(slim, tokenizer)
    if gap is not None and saved >= gap + GAP_MARGIN:
        return slim
    remaining = None if gap is None else max(0, gap + GAP_MARGIN - saved)
    return truncate_head_for_ptl_retry(slim, remaining, tokenizer)


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
    """`message` without thinking and media, long tool results cut in the middle."""
    blocks = tuple(slim for block in message.blocks if (slim := _slim_block(block)) is not None)
    return msgspec.structs.replace(message, blocks=blocks or (Text(text="[left out]"),))


def _slim_block(block: Block) -> Block | None:
    if isinstance(block, Thinking | RedactedThinking):
        return None
    if isinstance(block, Image | Document):
        return Text(text=f"[{block.__class__.__name__.lower()} left out]")
    if isinstance(block, ToolResult):
        return ToolResult(tool_use_id=block.tool_use_id, content=_cut(result_text(block)), is_error=block.is_error)
    return block


def result_text(block: ToolResult) -> str:
    """The text of a tool result; media named, not shown."""
    if isinstance(block.content, str):
        return block.content
    return "\n".join(
        part.text if isinstance(part, Text) else f"[{part.__class__.__name__.lower()}]" for part in block.content
    )


def _cut(text: str) -> str:
    if len(text) <= HUGE_RESULT:
        return text or "(no output)"
    half = HUGE_RESULT // 2
    return f"{text[:half]}\n[… {len(text) - HUGE_RESULT:,} characters left out …]\n{text[-half:]}"


def _size(messages: Sequence[Message], tokenizer: str) -> int:
    return sum(estimate_message(message, tokenizer) for message in messages)
