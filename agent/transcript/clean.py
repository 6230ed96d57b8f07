"""What a single block must be before it may be sent, wherever it stands."""

import re
from collections import Counter
from enum import StrEnum

from agent.protocol.blocks import Block, Document, Image, Opaque, RedactedThinking, Text, Thinking, ToolResult, ToolUse
from agent.protocol.messages import Message, Role

NO_OUTPUT = "(no output)"
FORBIDDEN_IN_ID = re.compile(r"[^A-Za-z0-9_-]")  # and in a name
FULLY_KNOWN = ("text", "thinking", "redacted_thinking")  # whatever of these cannot be read lacks what the API requires
MAX_NAME = 200  # characters of a called tool's name


class Repair(StrEnum):
    """The repairs, in a person's words; `{n}` is how often, `{s}` the plural."""

    BLANK = "History: {n} blank text{s} left out."
    MISPLACED = "History: {n} block{s} left out where the API does not allow it."
    UNSIGNED = "History: {n} thinking block{s} without a signature left out."
    PARTIAL = "History: {n} unfinished piece{s} of thinking left out."
    MALFORMED = "History: {n} tool call{s} without valid input left out."
    BROKEN = "History: {n} damaged block{s} left out."
    REPEATED = "History: {n} repeated tool call{s} left out."
    RENAMED = "History: {n} tool call id{s} changed to what the API accepts."
    MISNAMED = "History: {n} name{s} of called tools changed to what the API accepts."
    UNANSWERED = "History: {n} tool call{s} without a result answered with an error."
    STRAY = "History: {n} tool result{s} without a call left out."
    BEGINNING = "History: a note put before an answer that stood first."

    def said(self, n: int) -> str:
        """The line for `n` repairs of this kind."""
        return self.value.format(n=n, s="" if n == 1 else "s")


class Cleaner:
    """Cleans the blocks of one history, message by message; remembers the ids of its calls."""

    def __init__(self) -> None:
        self.repairs: Counter[Repair] = Counter()
        self._calls: set[str] = set()

    def clean(self, message: Message) -> tuple[Block, ...]:
        """The blocks that may stay; the very same tuple when that is all of them."""
        kept = tuple(clean for block in message.blocks if (clean := self._block(block, message.role)) is not None)
        same = len(kept) == len(message.blocks) and all(a is b for a, b in zip(kept, message.blocks, strict=True))
        return message.blocks if same else kept

    def _block(self, block: Block, role: Role) -> Block | None:
        if not _allowed(block, role):
            return self._drop(Repair.MISPLACED)
        match block:
            case Text():
                return self._drop(Repair.BLANK) if _blank(block.text) else block
            case Thinking():
                return block if block.signature else self._drop(Repair.UNSIGNED)
            case ToolUse():
                return self._call(block)
            case ToolResult():
                return self._result(block)
            case Opaque():
                return self._opaque(block)
            case Image() | Document() | RedactedThinking():
                return block

    def _drop(self, why: Repair) -> ToolUse | None:
        self.repairs[why] += 1
        return None

    def _opaque(self, block: Opaque) -> Block | None:
        if block.kind == "tool_use":
            return self._drop(Repair.MALFORMED)
        return self._drop(Repair.BROKEN) if block.kind in FULLY_KNOWN else block

    def _call(self, block: ToolUse) -> ToolUse | None:
        name = self._legal_id(block.id)
        if not name:
            return self._drop(Repair.MALFORMED)
        if name in self._calls:
            return self._drop(Repair.REPEATED)
        self._calls.add(name)
        called = FORBIDDEN_IN_ID.sub("_", block.name)[:MAX_NAME] or "_"
        self.repairs[Repair.MISNAMED] += called != block.name
        same = name == block.id and called == block.name
        return block if same else ToolUse(id=name, name=called, input=block.input)

    def _result(self, block: ToolResult) -> ToolResult:
        name = FORBIDDEN_IN_ID.sub("_", block.tool_use_id)
        content = block.content
        if not isinstance(content, str):
            content = [part for part in content if not (isinstance(part, Text) and _blank(part.text))]
            self.repairs[Repair.BLANK] += len(block.content) - len(content)
        if not content and (block.is_error or block.content):
            content = NO_OUTPUT
        if name == block.tool_use_id and (content is block.content or content == block.content):
            return block
        return ToolResult(tool_use_id=name, content=content, is_error=block.is_error)

    def _legal_id(self, name: str) -> str:
        legal = FORBIDDEN_IN_ID.sub("_", name)
        self.repairs[Repair.RENAMED] += legal != name
        return legal


def without_trailing_thinking(blocks: list[Block]) -> list[Block]:
    """`blocks` up to the last one that is not thinking (API: an answer cannot end in thinking)."""
    end = len(blocks)
    while end and isinstance(blocks[end - 1], Thinking | RedactedThinking):
        end -= 1
    return blocks[:end]


def _allowed(block: Block, role: Role) -> bool:
    is_result = isinstance(block, ToolResult) or (isinstance(block, Opaque) and block.kind == "tool_result")
    match role:
        case "assistant":
            return not is_result
        case "user":
            return not isinstance(block, Thinking | RedactedThinking | ToolUse)
        case "system":
            return isinstance(block, Text) or (isinstance(block, Opaque) and not is_result)


def _blank(text: str) -> bool:
    return not text or text.isspace()
