"""Replacing a quoted text in a file's text: exact, and touching nothing but what changes."""

from bisect import bisect_left
from itertools import accumulate

from msgspec import Struct


class Replaced(Struct, frozen=True):
    """The new text and, for each replacement, the 0-based offset in it (with LF endings) where the new string begins."""

    text: str
    starts: tuple[int, ...]


def occurrences(text: str, old: str) -> list[int]:
    """Offsets of `old` in `text`, not overlapping, as str.replace finds them."""
    found, at = [], text.find(old)
    while at >= 0:
        found.append(at)
        at = text.find(old, at + len(old))
    return found


def to_lf(text: str) -> str:
    """`text` with LF for CRLF, as Read shows it."""
    return text.replace("\r\n", "\n")


def replace_at(text: str, starts: list[int], old: str, new: str) -> Replaced:
    """`text` with `new` for `old` at each of `starts`, offsets in `to_lf(text)`; `old` and `new` have LF endings.

    What `old` and `new` have in common at their ends stays as it is; new line breaks take the ending of the line they come into.
    """
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    raw = _RawOffsets(text)
    pieces, at = [], 0
    for start in starts:
        begin, end = raw.of(start + head), raw.of(start + len(old) - tail)
        pieces.append(text[at:begin])
        pieces.append(new[head : len(new) - tail].replace("\n", _ending_at(text, begin)))
        at = end
    pieces.append(text[at:])
    grown = len(new) - len(old)
    return Replaced(text="".join(pieces), starts=tuple(start + i * grown for i, start in enumerate(starts)))


class _RawOffsets:
    """Offsets in a text with its CRs for offsets in the text without them."""

    def __init__(self, text: str) -> None:
        pieces = text.split("\r\n")
        self._breaks = list(accumulate(len(piece) + 1 for piece in pieces[:-1]))  # LF offset after each CRLF

    def of(self, offset: int) -> int:
        # a break counts once the offset is past its LF: before it, the CR is still to come
        return offset + bisect_left(self._breaks, offset + 1)


def _common(one: str, other: str) -> int:
    most = min(len(one), len(other))
    if one[:most] == other[:most]:
        return most
    return next(i for i in range(most) if one[i] != other[i])


def _ending_at(text: str, offset: int) -> str:
    """The ending of the line at `offset`, or of the line before when it is the last."""
    at = text.find("\n", offset)
    if at < 0:
        at = text.rfind("\n", 0, offset)
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"
