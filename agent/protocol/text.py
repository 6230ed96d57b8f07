"""Text from outside, made fit for UTF-8 once, where it comes in, and for a line of a list, where it goes out."""

import json
from collections.abc import Sequence

import msgspec

ONE_LINE = 100  # characters that a list shows


def scrub(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates replaced by U+FFFD, so that it can be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def scrub_json(text: str | bytes) -> str:
    """The same for the strings of a JSON text, where lone surrogates stand as escapes; raises ValueError or RecursionError for no JSON.

    NaN and infinite numbers, which the standard reader takes, are no JSON either.
    """
    return scrub(json.dumps(json.loads(text), ensure_ascii=False, allow_nan=False))


def to_json(value: object) -> bytes:
    """`value` as JSON in UTF-8; paths and names that are none (bytes of the system as lone surrogates) lose only those bytes."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_scrubbed(value))


def _scrubbed(value: object) -> object:
    match value:
        case str():
            return scrub(value)
        case list() | tuple():
            return [_scrubbed(item) for item in value]
        case dict():
            return {_scrubbed(name): _scrubbed(item) for name, item in value.items()}
        case msgspec.Struct():
            return _scrubbed(msgspec.to_builtins(value))
        case _:
            return value


def one_line(text: str, most: int = ONE_LINE) -> str:
    """`text` on one line, cut to what a list can show: `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def counted(number: int, noun: str) -> str:
    """`1 line`, `2 lines`, `21,000 lines`: for nouns whose plural is an s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def few(lines: Sequence[str], most: int = 50) -> tuple[str, ...]:
    """The first `most` of many lines about faults, each cut to what can be read, and how many more there are."""
    shown = [line if len(line) <= 4 * ONE_LINE else f"{line[: 4 * ONE_LINE]}…" for line in lines[:most]]
    return (*shown, f"… and {len(lines) - most:,} more like these") if len(lines) > most else tuple(shown)


def head_of(text: str, most: int) -> str:
    """The first `most` lines of `text`, of at most `ONE_LINE` characters on average, and how much follows."""
    lines = text.splitlines()
    head = "\n".join(lines[:most])
    if len(head) > most * ONE_LINE:
        return f"{head[: most * ONE_LINE]}…\n… {counted(len(text) - most * ONE_LINE, 'more character')}"
    return f"{head}\n… {counted(len(lines) - most, 'more line')}" if len(lines) > most else head
