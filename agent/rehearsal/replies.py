"""Replies: what the server may answer, as data: blocks or a fault, its weather, its match and its expectations."""

from typing import Literal

import msgspec

StopReason = Literal[
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "pause_turn",
    "refusal",
    "compaction",
    "model_context_window_exceeded",
]


class Text(msgspec.Struct, frozen=True, tag="text", tag_field="type", forbid_unknown_fields=True):
    """A text block."""

    text: str


class Thinking(msgspec.Struct, frozen=True, tag="thinking", tag_field="type", forbid_unknown_fields=True):
    """A thinking block; the server signs it unless a `signature` is given; `pad` makes the signature longer (bytes)."""

    thinking: str
    signature: str | None = None
    pad: int = 0


class Redacted(msgspec.Struct, frozen=True, tag="redacted_thinking", tag_field="type", forbid_unknown_fields=True):
    """A redacted thinking block; `hidden` is what the opaque data stands for."""

    hidden: str = ""


class ToolUse(msgspec.Struct, frozen=True, tag="tool_use", tag_field="type", forbid_unknown_fields=True):
    """A tool call; the server names it unless `id` is given; `cut` ends its JSON after so many characters."""

    name: str
    input: dict[str, object] = {}
    id: str | None = None
    cut: int | None = None


Block = Text | Thinking | Redacted | ToolUse


class Cut(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What befalls a body on its way, after so many bytes, or after the event that brings so many words.

    `fin` and `rst` close the connection, `error` sends an error event and ends the stream, `stall` is silent (or pings)
    for `seconds` and then goes on.
    """

    how: Literal["fin", "rst", "error", "stall"]
    after_bytes: int | None = None
    after_words: int | None = None
    seconds: float = 0.0
    pings: bool = False
    error: str = "overloaded_error"
    message: str = "Overloaded"


class Weather(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an answer travels: `delay` seconds before its head, `gap` seconds between events, `chunk` bytes a write."""

    delay: float = 0.0
    gap: float = 0.0
    chunk: int = 0
    piece: int = 24
    cut: Cut | None = None


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An HTTP answer in place of a message; `html` (which may be empty) replaces the JSON error body."""

    status: int
    error: str | None = None
    message: str | None = None
    code: str | None = None
    headers: dict[str, str] = {}
    html: str | None = None


class Match(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which request a reply is for; every given condition must hold.

    `last_user`: this stands in the last user message's text. `tool_result`: this stands in a result of the last
    message. `compaction`: it is (or is not) the request for a summary. `model`: the model asked.
    """

    last_user: str | None = None
    tool_result: str | None = None
    compaction: bool | None = None
    model: str | None = None


class Expect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the request must look like when this reply is taken; each failure is a violation, the reply is still sent.

    `contains` and `lacks` look at the whole request as JSON text; `max_tokens` is an upper bound.
    """

    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    last_user: str | None = None
    messages: int | None = None
    max_tokens: int | None = None
    tools: tuple[str, ...] = ()
    model: str | None = None


class Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer: blocks in order, or a fault.

    `usage` replaces counted figures by name; `input_tokens` alone is the whole prompt. A reply with `match` waits aside until a request fits it; the others are
    played in order. `repeat` is how often it is played, 0 for ever.
    """

    blocks: tuple[Block, ...] = ()
    stop_reason: StopReason | None = None
    usage: dict[str, int] = {}
    fault: Fault | None = None
    weather: Weather = Weather()
    match: Match | None = None
    expect: Expect | None = None
    repeat: int = 1

    def when(
        self,
        last_user: str | None = None,
        *,
        tool_result: str | None = None,
        compaction: bool | None = None,
        model: str | None = None,
        repeat: int = 1,
    ) -> "Reply":
        """This reply for requests that fit (see `Match`), `repeat` times, 0 for ever."""
        rule = Match(last_user=last_user, tool_result=tool_result, compaction=compaction, model=model)
        return msgspec.structs.replace(self, match=rule, repeat=repeat)

    def expecting(
        self,
        *contains: str,
        lacks: tuple[str, ...] = (),
        last_user: str | None = None,
        messages: int | None = None,
        max_tokens: int | None = None,
        tools: tuple[str, ...] = (),
        model: str | None = None,
    ) -> "Reply":
        """This reply, which also asserts on the request that takes it (see `Expect`)."""
        expect = Expect(contains, lacks, last_user, messages, max_tokens, tools, model)
        return msgspec.structs.replace(self, expect=expect)

    def times(self, repeat: int) -> "Reply":
        """This reply so many times in a row; 0 for ever."""
        return msgspec.structs.replace(self, repeat=repeat)

    def by(self, weather: Weather) -> "Reply":
        """This reply in that weather."""
        return msgspec.structs.replace(self, weather=weather)

    def slow(self, gap: float, *, delay: float = 0.0) -> "Reply":
        """This reply with `gap` seconds between its events and `delay` seconds before its head."""
        return self.by(msgspec.structs.replace(self.weather, gap=gap, delay=delay))

    def cut(self, cut: Cut) -> "Reply":
        """This reply, broken on its way."""
        return self.by(msgspec.structs.replace(self.weather, cut=cut))
