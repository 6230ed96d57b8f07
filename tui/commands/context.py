"""`ccagent context FILE`: where the tokens of a transcript went."""

import sys
from collections import Counter
from collections.abc import Set
from pathlib import Path

import msgspec

from agent.protocol.blocks import RedactedThinking, Text, Thinking, ToolResult, ToolUse
from agent.protocol.messages import Message
from agent.tokens.messages import estimate_block
from agent.transcript.entries import MessageEntry
from agent.transcript.ledger import load, notices_of
from agent.transcript.view import model_view
from tui.render.safe import clean_line


def show_context(file: Path, *, as_json: bool) -> int:
    """Print what the model would see of `file` by kind, in estimated tokens; 0. SessionNotFound or TranscriptError for no transcript."""
    ledger = load(file)
    for notice in notices_of(ledger):
        sys.stderr.write(f"{notice}\n")
    seen = model_view(ledger, ledger.chain.leaf_uuid)
    kinds = tokens_by_kind(
        [entry.message for entry in seen], summaries={at for at, e in enumerate(seen) if e.is_compact_summary}
    )
    reported = last_reported(seen)
    if as_json:
        figures = {"messages": len(seen), "estimated": dict(kinds), "total": kinds.total(), "reported": reported}
        sys.stdout.buffer.write(msgspec.json.encode(figures) + b"\n")
        return 0
    total = max(1, kinds.total())
    rows = [f"{clean_line(name):<28} {count:>10,}  {100 * count / total:5.1f}%" for name, count in kinds.most_common()]
    sys.stdout.write(
        "\n".join([f"{len(seen)} messages since the last compaction, estimated tokens by kind:", *rows]) + "\n"
    )
    sys.stdout.write(f"{'together':<28} {kinds.total():>10,}\n")
    told = "the transcript names no usage" if reported is None else f"{reported:,} tokens with system prompt and tools"
    sys.stdout.write(f"The API reported last: {told}.\n")
    return 0


def tokens_by_kind(messages: list[Message], *, summaries: Set[int] = frozenset()) -> Counter[str]:
    """Estimated tokens of `messages`: prompts, answers, thinking, each tool's calls and results, and summaries (by position)."""
    kinds: Counter[str] = Counter()
    tools: dict[str, str] = {}
    for at, message in enumerate(messages):
        for block in message.blocks:
            match block:
                case ToolUse(id=call, name=name):
                    tools[call] = name
                    kind = f"{name} calls"
                case ToolResult(tool_use_id=call):
                    kind = f"{tools.get(call, 'unknown tool')} results"
                case Thinking() | RedactedThinking():
                    kind = "thinking"
                case Text() if at in summaries:
                    kind = "summary"
                case Text():
                    kind = "answers" if message.role == "assistant" else "prompts and reminders"
                case _:
                    kind = "images and documents"
            kinds[kind] += estimate_block(block)
    return kinds


def last_reported(seen: tuple[MessageEntry, ...]) -> int | None:
    """Tokens of the last answer's request and answer, as the API counted them."""
    return next((entry.usage.context for entry in reversed(seen) if entry.usage is not None), None)
