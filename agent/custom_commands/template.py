"""A command's text in parts: what is said, and what is run and replaced by its output."""

import re
from collections.abc import Iterator

from msgspec import Struct

from agent.memory.markdown import marked_lines

_INLINE = re.compile(r"(?:(?<=\s)|^)!`([^`\n]+)`", re.MULTILINE)
_FENCE = re.compile(r" {0,3}```!\s*")


class Said(Struct, frozen=True):
    """Words."""

    text: str


class Ran(Struct, frozen=True):
    """A shell command whose output stands in its place."""

    command: str


def parts_of(text: str) -> tuple[Said | Ran, ...]:
    """`` !`command` `` at the start of a line or after a blank, and blocks fenced by ```` ```! ````; other code is only words."""
    parts: list[Said | Ran] = []
    for chunk, is_code in _chunks(text):
        parts.extend(_block(chunk) if is_code else _inline(chunk))
    return tuple(parts)


def shell_commands(text: str) -> tuple[str, ...]:
    """Only what would be run, before anything is put into it."""
    return tuple(part.command for part in parts_of(text) if isinstance(part, Ran))


def _chunks(text: str) -> Iterator[tuple[str, bool]]:
    """Neighbouring lines of one kind together; each fenced block by itself."""
    held, held_is_code = "", False
    for line, is_code in marked_lines(text):
        begins = is_code and (not held_is_code or _closed(held))
        if held and (is_code != held_is_code or begins):
            yield held, held_is_code
            held = ""
        held, held_is_code = held + line, is_code
    if held:
        yield held, held_is_code


def _closed(block: str) -> bool:
    """Whether the last line ends what the first one opened."""
    lines = block.splitlines()
    opened, last = lines[0].strip(), lines[-1].strip()
    length = len(opened) - len(opened.lstrip(opened[0]))
    return len(lines) > 1 and len(last) >= length and set(last) == {opened[0]}


def _block(chunk: str) -> Iterator[Said | Ran]:
    lines = chunk.splitlines(keepends=True)
    command = "".join(lines[1:-1]).strip() if _closed(chunk) else ""
    if _FENCE.fullmatch(lines[0].rstrip("\r\n")) and command:
        yield Ran(command)
        yield Said("\n")
    else:
        yield Said(chunk)


def _inline(chunk: str) -> Iterator[Said | Ran]:
    at = 0
    for found in _INLINE.finditer(chunk):
        if found.start() > at:
            yield Said(chunk[at : found.start()])
        yield Ran(found[1].strip())
        at = found.end()
    if at < len(chunk):
        yield Said(chunk[at:])
