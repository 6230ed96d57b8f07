"""Scripts: which reply is played for which request, and the short builders that tests write replies with."""

from collections.abc import Sequence

import msgspec

from agent.rehearsal.replies import Block, Cut, Fault, Match, Redacted, Reply, StopReason, Text, Thinking, ToolUse
from agent.rehearsal.wire import Json


class Occasion(msgspec.Struct, frozen=True):
    """What a script may know of a request when it chooses a reply."""

    last_user: str
    results: tuple[str, ...]
    compaction: bool
    model: str


UNFINISHED = "This sentence is not going to be finished, because the line drops while it is still being said aloud."


LINE = "A line of many, which says nothing but that it is here."


class Script:
    """Replies, consumed one per request to /v1/messages; with `loop` the ordered ones begin again when they run out.

    `window` (tokens) is what a file asks for; with `fills`, `{cwd}` in texts and tool inputs stands for the client's
    working directory.
    """

    def __init__(
        self,
        replies: Sequence[Reply] = (),
        *,
        loop: bool = False,
        name: str = "",
        window: int | None = None,
        about: str = "",
        fills: bool = False,
    ) -> None:
        self.replies = list(replies)
        self.name = name
        self.loop = loop
        self.window = window
        self.about = about
        self.fills = fills
        self._left = [reply.repeat for reply in self.replies]

    def take(self, occasion: Occasion) -> Reply | None:
        """The reply for this request, or None when nothing is left for it."""
        place = self._find(occasion)
        if place is None and self.loop and self._rewind():
            place = self._find(occasion)
        if place is None:
            return None
        if self.replies[place].repeat:
            self._left[place] -= 1
        return self.replies[place]

    def _find(self, occasion: Occasion) -> int | None:
        open_ = [place for place, reply in enumerate(self.replies) if not reply.repeat or self._left[place] > 0]
        fitting = [place for place in open_ if _fits(self.replies[place].match, occasion)]
        ordered = [place for place in open_ if self.replies[place].match is None]
        return next(iter(fitting or ordered), None)

    def _rewind(self) -> bool:
        ordered = [place for place, reply in enumerate(self.replies) if reply.match is None]
        for place in ordered:
            self._left[place] = self.replies[place].repeat
        return bool(ordered)


def _fits(match: Match | None, occasion: Occasion) -> bool:
    if match is None:
        return False
    return (
        (match.last_user is None or match.last_user in occasion.last_user)
        and (match.tool_result is None or any(match.tool_result in result for result in occasion.results))
        and (match.compaction is None or match.compaction == occasion.compaction)
        and (match.model is None or match.model == occasion.model)
    )


def text(content: str) -> Text:
    """A text block."""
    return Text(content)


def thinking(content: str, *, signature: str | None = None, pad: int = 0) -> Thinking:
    """A thinking block, signed by the server unless a signature is given."""
    return Thinking(content, signature=signature, pad=pad)


def redacted(hidden: str = "") -> Redacted:
    """A redacted thinking block."""
    return Redacted(hidden)


def tool(name: str, input: Json | None = None, *, id: str | None = None, cut: int | None = None) -> ToolUse:
    """A tool call block."""
    return ToolUse(name, dict(input or {}), id=id, cut=cut)


def reply(*blocks: Block, stop_reason: StopReason | None = None, usage: dict[str, int] | None = None) -> Reply:
    """A reply of these blocks; without a stop reason it is `tool_use` after a tool call, else `end_turn`."""
    return Reply(tuple(blocks), stop_reason=stop_reason, usage=usage or {})


def say(content: str, *, stop_reason: StopReason | None = None, usage: dict[str, int] | None = None) -> Reply:
    """A reply of one text block."""
    return reply(Text(content), stop_reason=stop_reason, usage=usage)


def call(name: str, /, **input: object) -> Reply:
    """A reply of one tool call: `call("Read", file_path="/x")`."""
    return reply(ToolUse(name, input))


def calls(parts: Sequence[Reply | ToolUse]) -> Reply:
    """A reply of several tool calls at once, from `call(...)`s and `tool(...)`s."""
    blocks: list[Block] = []
    for part in parts:
        blocks.extend(part.blocks if isinstance(part, Reply) else (part,))
    return reply(*blocks)


def think(thought: str, then: Reply | str | None = None) -> Reply:
    """A reply that thinks first, then is `then` (a text or another reply); with nothing after it, thinking only."""
    after = say(then) if isinstance(then, str) else then
    if after is None:
        return reply(Thinking(thought))
    return msgspec.structs.replace(after, blocks=(Thinking(thought), *after.blocks))


def words(count: int) -> Reply:
    """A reply of so many words in numbered lines, for when only the length matters."""
    lines = [f"{number}. {LINE}" for number in range(1, count // (len(LINE.split()) + 1) + 2)]
    return say("\n".join(lines))


def summary(content: str) -> Reply:
    """A reply to a request for a summary: an analysis, then the text in its summary block."""
    return say(f"<analysis>\nEvery message was read in order.\n</analysis>\n\n<summary>\n{content}\n</summary>")


def fail(
    status: int,
    *,
    type: str | None = None,
    message: str | None = None,
    code: str | None = None,
    headers: dict[str, str] | None = None,
) -> Reply:
    """An HTTP error in the API's shape; the type follows from the status unless it is given."""
    return Reply(fault=Fault(status, error=type, message=message, code=code, headers=headers or {}))


def too_long(used: int, limit: int) -> Reply:
    """The API's answer to a prompt beyond the window (tokens), said whatever was sent."""
    return fail(400, message=f"prompt is too long: {used} tokens > {limit} maximum")


def html(status: int, body: str | None = None) -> Reply:
    """An HTML error page of a proxy on the way."""
    page = f"<html><head><title>{status}</title></head><body><h1>{status}</h1><hr>proxy</body></html>"
    return Reply(fault=Fault(status, html=page if body is None else body))


def empty(status: int = 200) -> Reply:
    """An answer without a body."""
    return html(status, "")


def drop(after_bytes: int = 200, *, rst: bool = False, of: Reply | None = None) -> Reply:
    """A reply whose connection closes after so many bytes of body, politely or with a reset."""
    return (of or say(UNFINISHED)).cut(Cut("rst" if rst else "fin", after_bytes=after_bytes))


def stall(seconds: float, *, after_words: int = 0, pings: bool = False, of: Reply | None = None) -> Reply:
    """A reply that falls silent (or only pings) for some seconds after so many words, then goes on."""
    return (of or say("Late, but here.")).cut(Cut("stall", after_words=after_words, seconds=seconds, pings=pings))


def breaks(
    type: str = "overloaded_error", *, after_words: int = 40, message: str = "Overloaded", of: Reply | None = None
) -> Reply:
    """A reply whose stream ends in an error event, after status 200 and so many words."""
    cut = Cut("error", after_words=after_words, error=type, message=message)
    return (of or say("word " * (after_words + 20))).cut(cut)


def filled(reply: Reply, directory: str) -> Reply:
    """A reply with `{cwd}` replaced in its texts and in its tools' inputs."""

    def fill(value: object) -> object:
        match value:
            case str():
                return value.replace("{cwd}", directory)
            case dict():
                return {key: fill(part) for key, part in value.items()}
            case list():
                return [fill(part) for part in value]
            case _:
                return value

    def block(part: Block) -> Block:
        match part:
            case ToolUse():
                return msgspec.structs.replace(part, input=fill(part.input))
            case Text():
                return Text(part.text.replace("{cwd}", directory))
            case _:
                return part

    return msgspec.structs.replace(reply, blocks=tuple(block(part) for part in reply.blocks))
