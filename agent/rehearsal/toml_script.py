"""Scripts as TOML files: the same replies as the builders make, with errors that name the place."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from agent.rehearsal import script as make
from agent.rehearsal.given_file import read_given
from agent.rehearsal.replies import Block, Cut, Expect, Match, Reply, StopReason, ToolUse, Weather
from agent.rehearsal.script import UNFINISHED, Script

HERE = Path(__file__).parent / "scripts"

Tokens = Annotated[int, msgspec.Meta(ge=1)]
Times = Annotated[int, msgspec.Meta(ge=0)]
Status = Annotated[int, msgspec.Meta(ge=200, le=599)]


class ScriptError(Exception):
    """A script that cannot be read; the message names the file and the place in it."""


class TooLong(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`too_long`: tokens."""

    used: Tokens
    limit: Tokens


class Fail(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`fail`: an HTTP error in the API's shape."""

    status: Status
    error: str | None = None
    message: str | None = None
    code: str | None = None
    headers: dict[str, str] = {}


class Html(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`html`: a proxy's page; an empty body is an empty answer."""

    status: Status
    body: str | None = None


class Drop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`drop`: the connection closes (or is reset) after so many bytes."""

    after_bytes: Times = 200
    rst: bool = False


class Stall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`stall`: silence, or pings, after so many words."""

    seconds: float
    after_words: Times = 0
    pings: bool = False


class Breaks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`breaks`: an error event in the stream."""

    error: str = "overloaded_error"
    after_words: Times = 40
    message: str = "Overloaded"


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[reply]]`: something to say (think, say, words, calls, blocks, summary) or a fault (fail, too_long, html)."""

    think: str | None = None
    say: str | None = None
    words: Tokens | None = None
    calls: tuple[ToolUse, ...] = ()
    blocks: tuple[Block, ...] = ()
    summary: str | None = None
    fail: Fail | None = None
    too_long: TooLong | None = None
    html: Html | None = None
    drop: Drop | None = None
    stall: Stall | None = None
    breaks: Breaks | None = None
    stop_reason: StopReason | None = None
    usage: dict[str, Times] = {}
    weather: Weather = Weather()
    when: Match | None = None
    expect: Expect | None = None
    repeat: Times = 1


class ScriptFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole file; `window` (tokens) is for who plays it without saying another."""

    about: str = ""
    loop: bool = False
    window: Tokens | None = None
    reply: tuple[Entry, ...] = ()


def names() -> list[str]:
    """The scripts that come with the server."""
    return sorted(path.stem for path in HERE.glob("*.toml"))


def open_script(name: str) -> Script:
    """A script by file, or by the name of one that comes with the server. Raises `ScriptError`."""
    path = HERE / f"{name}.toml" if name in names() else Path(name)
    try:
        return read_script(read_given(path), str(path))
    except OSError as error:
        known = ", ".join(names())
        raise ScriptError(f"cannot read the script {name}: {error.strerror}; those that come along: {known}") from error


def read_script(content: bytes, name: str) -> Script:
    """A script from the bytes of a file. Raises `ScriptError`."""
    try:
        file = msgspec.convert(tomllib.loads(content.decode()), ScriptFile)
    except UnicodeDecodeError as error:
        raise ScriptError(f"{name}: not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ScriptError(f"{name}: {error}") from error
    except RecursionError as error:
        raise ScriptError(f"{name}: nested too deeply") from error
    except msgspec.ValidationError as error:
        raise ScriptError(f"{name}: {_place(str(error))}") from error
    replies = [_reply(entry, f"{name}: reply {number}") for number, entry in enumerate(file.reply, start=1)]
    if not replies:
        raise ScriptError(f"{name}: no [[reply]] in it")
    return Script(replies, loop=file.loop, name=name, window=file.window, about=file.about, fills=True)


def _reply(entry: Entry, where: str) -> Reply:
    faults = [fault for fault in (entry.fail, entry.too_long, entry.html) if fault is not None]
    blocks = tuple(_blocks(entry))
    cut = _cut(entry)
    if len(faults) + bool(blocks) > 1:
        raise ScriptError(f"{where}: says something and fails too, or fails in two ways")
    if not faults and not blocks and cut is None:
        raise ScriptError(
            f"{where}: is empty; it needs one of think, say, words, calls, blocks, summary, fail, too_long, html"
        )
    reply = _fault(faults[0]) if faults else Reply(blocks or (make.text(UNFINISHED),))
    return msgspec.structs.replace(
        reply,
        stop_reason=entry.stop_reason,
        usage=dict(entry.usage),
        weather=msgspec.structs.replace(entry.weather, cut=cut or entry.weather.cut),
        match=entry.when,
        expect=entry.expect,
        repeat=entry.repeat,
    )


def _blocks(entry: Entry) -> Iterator[Block]:
    if entry.think is not None:
        yield make.thinking(entry.think)
    if entry.say is not None:
        yield make.text(entry.say)
    if entry.words is not None:
        yield from make.words(entry.words).blocks
    if entry.summary is not None:
        yield from make.summary(entry.summary).blocks
    yield from entry.calls
    yield from entry.blocks


def _fault(fault: Fail | TooLong | Html) -> Reply:
    match fault:
        case Fail():
            return make.fail(
                fault.status, type=fault.error, message=fault.message, code=fault.code, headers=fault.headers
            )
        case TooLong(used, limit):
            return make.too_long(used, limit)
        case Html(status, body):
            return make.html(status, body)


def _cut(entry: Entry) -> Cut | None:
    if entry.drop is not None:
        return Cut("rst" if entry.drop.rst else "fin", after_bytes=entry.drop.after_bytes)
    if entry.stall is not None:
        stall = entry.stall
        return Cut("stall", after_words=stall.after_words, seconds=stall.seconds, pings=stall.pings)
    if entry.breaks is not None:
        broken = entry.breaks
        return Cut("error", after_words=broken.after_words, error=broken.error, message=broken.message)
    return None


def _place(error: str) -> str:
    """msgspec's message with its path in words: `$.reply[1].say` is the second reply's `say`."""
    told, _, path = error.partition(" - at ")
    if not path:
        return told
    steps = path.strip("`").removeprefix("$.")
    if steps.startswith("reply["):
        number, _, rest = steps.removeprefix("reply[").partition("]")
        return f"reply {int(number) + 1}{', ' + rest.lstrip('.') if rest else ''}: {told}"
    return f"{steps}: {told}"
