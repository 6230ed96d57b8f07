"""From a scripted reply to a finished message: ids, signatures, limits on its length, stop reason, usage."""

import msgspec

from agent.rehearsal.prompt import THINKING, canonical, chain
from agent.rehearsal.replies import Block, Redacted, Reply, Text, Thinking, ToolUse
from agent.rehearsal.seals import seal
from agent.rehearsal.sse import Part
from agent.rehearsal.thinking import Checked, Seal, identity
from agent.rehearsal.usage import BYTES_PER_TOKEN, block_tokens, text_tokens
from agent.rehearsal.wire import Json, as_list, as_text, kind


class Answer(msgspec.Struct, frozen=True):
    """A finished answer; tokens are those of its content."""

    parts: tuple[Part, ...]
    stop_reason: str
    stop_sequence: str | None
    output_tokens: int
    thinking_tokens: int

    @property
    def content(self) -> list[Json]:
        """The blocks as they stand in the message."""
        return [part.block for part in self.parts]


class Ids:
    """Numbered ids in the API's form, counted from `first`: 0 for ids that are the same in every run."""

    def __init__(self, first: int = 0) -> None:
        self._next = first

    def make(self, prefix: str) -> str:
        """The next id: `msg_01…`, `toolu_01…`, `req_01…`."""
        self._next += 1
        return f"{prefix}_01{self._next:022d}"


def compose(reply: Reply, checked: Checked, room: int, ids: Ids) -> Answer:
    """Make the answer to a checked request. `room` is what the window has left for it, in tokens."""
    body = checked.prompt.body
    asked = body.get("max_tokens")
    limit = asked if isinstance(asked, int) else room
    signer = _Signer(checked)
    parts = [signer.part(block, ids) for block in reply.blocks]
    stop = reply.stop_reason or _natural_stop(reply)
    parts, sequence = _stop_at_sequence(parts, [as_text(item) for item in as_list(body.get("stop_sequences"))])
    if sequence is not None:
        stop = "stop_sequence"
    spent = sum(tokens_of(part) for part in parts)
    if spent > min(limit, room):
        stop = "max_tokens" if limit <= room else "model_context_window_exceeded"
        parts = _shorten(parts, min(limit, room), signer)
    thinking = sum(tokens_of(part) for part in parts if kind(part.block) in THINKING)
    total = min(limit, max(1, sum(tokens_of(part) for part in parts)))
    return Answer(tuple(parts), stop, sequence, total, thinking)


def tokens_of(part: Part) -> int:
    """Tokens of a block, or of so much of a tool's input as was streamed."""
    if kind(part.block) == "tool_use":
        return text_tokens(as_text(part.block["name"])) + text_tokens(part.input_json)
    return block_tokens(part.block)


class _Signer:
    """Builds blocks in order, each thinking block signed over what stands before it."""

    def __init__(self, checked: Checked) -> None:
        self.model = checked.prompt.model.id
        self.omits = checked.prompt.thinking.get("display") == "omitted"
        self.prefix = checked.walk.prefix
        self.previous = checked.walk.previous
        self.summary = checked.walk.summary

    def part(self, block: Block, ids: Ids) -> Part:
        match block:
            case Text(text):
                part = Part({"type": "text", "text": text})
            case Thinking():
                return Part(self._thinking("" if self.omits else block.thinking, block.signature, block.pad))
            case Redacted():
                return Part(self._redacted(block))
            case ToolUse():
                made: Json = {"type": "tool_use", "id": block.id or ids.make("toolu"), "name": block.name}
                text = msgspec.json.encode(block.input).decode()
                whole = block.cut is None
                part = Part({**made, "input": block.input if whole else {}}, text if whole else text[: block.cut])
        self.prefix = chain(self.prefix, b"assistant:" + canonical(part.block))
        return part

    def shorter_thinking(self, text: str) -> Json:
        return self._thinking(text, None, 0)

    def _thinking(self, text: str, signature: str | None, pad: int) -> Json:
        made = signature or seal(Seal(self.model, self.prefix, self.previous, self.summary, pad="." * pad), text)
        block: Json = {"type": "thinking", "thinking": text, "signature": made}
        self.previous = identity(block)
        return block

    def _redacted(self, block: Redacted) -> Json:
        data = seal(Seal(self.model, self.prefix, self.previous, self.summary, hidden=block.hidden), "")
        made: Json = {"type": "redacted_thinking", "data": data}
        self.previous = identity(made)
        return made


def _natural_stop(reply: Reply) -> str:
    return "tool_use" if reply.blocks and isinstance(reply.blocks[-1], ToolUse) else "end_turn"


def _stop_at_sequence(parts: list[Part], sequences: list[str]) -> tuple[list[Part], str | None]:
    for place, part in enumerate(parts):
        text = as_text(part.block.get("text"))
        found = [(text.index(sequence), sequence) for sequence in sequences if sequence and sequence in text]
        if found:
            at, sequence = min(found)
            kept = [Part({"type": "text", "text": text[:at]})] if at else []
            return [*parts[:place], *kept], sequence
    return parts, None


def _shorten(parts: list[Part], limit: int, signer: _Signer) -> list[Part]:
    kept: list[Part] = []
    left = limit
    for part in parts:
        size = tokens_of(part)
        if size > left:
            shorter = _cut(part, left, signer)
            return [*kept, shorter] if shorter is not None else kept
        kept.append(part)
        left -= size
    return kept


def _cut(part: Part, tokens: int, signer: _Signer) -> Part | None:
    """As much of a block as so many tokens carry; a thinking block that is cut short has no signature yet."""
    budget = int(tokens * BYTES_PER_TOKEN)
    if budget <= 0:
        return None
    match kind(part.block):
        case "text":
            return Part({"type": "text", "text": _bytes_of(as_text(part.block["text"]), budget)})
        case "thinking":
            return Part(signer.shorter_thinking(_bytes_of(as_text(part.block["thinking"]), budget)))
        case "tool_use":
            rest = budget - len(as_text(part.block["name"]))
            return Part({**part.block, "input": {}}, _bytes_of(part.input_json, rest)) if rest > 0 else None
        case _:
            return None


def _bytes_of(text: str, size: int) -> str:
    return text.encode("utf-8", "surrogatepass")[:size].decode("utf-8", "ignore")
