"""The stream's events put together: deltas for the eye as they come, one Reply at the end."""

from agent.anthropic_api.fields import JsonObject, count_in, object_in, text_in
from agent.anthropic_api.open_block import OpenBlock
from agent.protocol.blocks import Block
from agent.protocol.errors import StreamBroken
from agent.protocol.messages import Usage
from agent.protocol.model import Delta, Reply, TextPiece, ThinkingPiece, ToolPiece

_WHOLE = ("end_turn", "tool_use", "stop_sequence")  # every other stop reason may have cut the last block

_COUNTS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_creation": "cache_creation_input_tokens",
}


class Assembler:
    """Takes the events of one answer in order; `complete` once `message_stop` has come."""

    def __init__(self) -> None:
        self.complete = False
        self._blocks: dict[int, OpenBlock] = {}
        self._message_id = ""
        self._model = ""
        self._stop_reason = ""
        self._cache_miss = ""
        self._counts: dict[str, int] = {}

    def feed(self, event: JsonObject) -> Delta | None:
        """Take one event; what a person may see of it, if anything. Unknown events are passed over."""
        match text_in(event, "type"):
            case "message_start":
                self._begin(object_in(event, "message"))
            case "content_block_start":
                return self._open(count_in(event, "index") or 0, object_in(event, "content_block"))
            case "content_block_delta":
                return self._grow(count_in(event, "index") or 0, object_in(event, "delta"))
            case "message_delta":
                self._stop_reason = text_in(object_in(event, "delta"), "stop_reason") or self._stop_reason
                self._count(object_in(event, "usage"))
            case "message_stop":
                self.complete = True
            case _:
                pass
        return None

    def reply(self, *, request_id: str = "", duration: float = 0.0) -> Reply:
        """The whole answer. Raises StreamBroken when the stream ended before `message_stop`, or a call is malformed.

        A call, or thinking, that the answer's early end cut off is not among the blocks; the stop reason tells of it.
        """
        if not self.complete:
            raise StreamBroken("The answer stopped in the middle.")
        return Reply(
            message_id=self._message_id,
            model=self._model,
            blocks=self._finished(),
            stop_reason=self._stop_reason or "end_turn",
            usage=self._usage(),
            cache_miss=self._cache_miss,
            request_id=request_id,
            duration=duration,
        )

    def _begin(self, message: JsonObject) -> None:
        self._message_id = text_in(message, "id")
        self._model = text_in(message, "model")
        self._cache_miss = text_in(object_in(object_in(message, "diagnostics"), "cache_miss_reason"), "type")
        self._count(object_in(message, "usage"))

    def _open(self, index: int, start: JsonObject) -> Delta | None:
        block = self._blocks[index] = OpenBlock(start)
        match block.type:
            case "tool_use":
                return ToolPiece(index, block.name)
            case "text":
                return _text_piece(text_in(start, "text"))
            case _:
                return None

    def _grow(self, index: int, delta: JsonObject) -> Delta | None:
        block = self._blocks.get(index)
        if block is None:
            raise StreamBroken("The answer's parts arrived out of order.")
        block.add(delta)
        match text_in(delta, "type"):
            case "text_delta":
                return _text_piece(text_in(delta, "text"))
            case "thinking_delta":
                thought = text_in(delta, "thinking")
                return ThinkingPiece(thought) if thought else None
            case "input_json_delta" if block.type == "tool_use":
                chars = len(text_in(delta, "partial_json"))
                return ToolPiece(index, block.name, chars) if chars else None
            case _:
                return None

    def _count(self, usage: JsonObject) -> None:
        # Counts are cumulative; the larger wins because some gateways repeat the prompt's count as 0 at the end.
        for name, field in _COUNTS.items():
            count = count_in(usage, field)
            if count is not None:
                self._counts[name] = max(count, self._counts.get(name, 0))

    def _usage(self) -> Usage | None:
        usage = Usage(**self._counts)
        return usage if usage.prompt else None  # no prompt is empty: a zero means that nobody counted

    def _finished(self) -> tuple[Block, ...]:
        last = max(self._blocks, default=-1)
        cut = bool(self._stop_reason) and self._stop_reason not in _WHOLE
        finished = (self._blocks[index].finish(cut=cut and index == last) for index in sorted(self._blocks))
        return tuple(block for block in finished if block is not None)


def _text_piece(text: str) -> TextPiece | None:
    return TextPiece(text) if text else None
