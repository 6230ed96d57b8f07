"""Deltas as the API's streaming events, for `--include-partial-messages`."""

from collections.abc import Iterator
from typing import Literal

from agent.protocol.events import AssistantDone
from tui.headless.records import Record

Kind = Literal["text", "thinking"]


class PartialMessages:
    """Frames the deltas of one answer after another: message_start, a block per run of text or thinking, message_delta when it is whole, message_stop."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._open: Kind | None = None
        self._started = False
        self._index = -1

    def delta(self, kind: Kind, text: str) -> Iterator[Record]:
        """The events for some more `text`."""
        if not self._started:
            self._started = True
            message = {"type": "message", "role": "assistant", "model": self._model, "content": []}
            yield {"type": "message_start", "message": message}
        if self._open != kind:
            yield from self._close_block()
            self._open = kind
            self._index += 1
            yield {"type": "content_block_start", "index": self._index, "content_block": {"type": kind, kind: ""}}
        piece = {"type": f"{kind}_delta", kind: text}
        yield {"type": "content_block_delta", "index": self._index, "delta": piece}

    def end(self, whole: AssistantDone | None = None) -> Iterator[Record]:
        """The events that close the answer, which is `whole` or void."""
        yield from self._close_block()
        if self._started and whole is not None:
            delta = {"stop_reason": whole.stop_reason or None, "stop_sequence": None}
            usage = None if whole.usage is None else whole.usage.record()
            yield {"type": "message_delta", "delta": delta, "usage": usage}
        if self._started:
            yield {"type": "message_stop"}
        self._started = False
        self._index = -1

    def _close_block(self) -> Iterator[Record]:
        if self._open is not None:
            yield {"type": "content_block_stop", "index": self._index}
        self._open = None
