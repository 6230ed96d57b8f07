"""Which kinds of content the tokens of a conversation went to."""

from collections import Counter
from collections.abc import Iterable

from agent.protocol.blocks import Block, Document, Image, RedactedThinking, Text, Thinking, ToolResult, ToolUse
from agent.tokens.messages import estimate_block
from agent.transcript.catalog import is_prompt
from agent.transcript.entries import AttachmentEntry, Entry, MessageEntry


def tokens_by_source(entries: Iterable[Entry], tokenizer: str) -> Counter[str]:
    """Estimated tokens of `entries`: prompts, answers, thinking, each tool's calls and results, summaries, what was added."""
    sources: Counter[str] = Counter()
    tools: dict[str, str] = {}
    for entry in entries:
        message = entry.message if isinstance(entry, MessageEntry | AttachmentEntry) else None
        for block in message.blocks if message is not None else ():
            if isinstance(block, ToolUse):
                tools[block.id] = block.name
            sources[_source(entry, block, tools)] += estimate_block(block, tokenizer)
    return sources


def _source(entry: Entry, block: Block, tools: dict[str, str]) -> str:
    match block:
        case ToolUse(name=name):
            return f"{name} calls"
        case ToolResult(tool_use_id=call):
            return f"{tools.get(call, 'unknown tool')} results"
        case Thinking() | RedactedThinking():
            return "thinking"
        case Image() | Document():
            return "images and documents"
        case Text() if isinstance(entry, MessageEntry):
            return _text_source(entry)
        case _:
            return "attachments and reminders"


def _text_source(entry: MessageEntry) -> str:
    if entry.message.role == "assistant":
        return "answers"
    if entry.is_compact_summary:
        return "summaries"
    return "prompts" if is_prompt(entry) else "attachments and reminders"
