"""Why a text that a model quoted is not in the file: other whitespace, look-alike characters, line numbers."""

import re
import unicodedata
from collections.abc import Callable

_LOOKALIKES = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u2032": "'",
        "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u2033": '"',
        "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-",
        "\u200b": None, "\u200c": None, "\u200d": None, "\u2060": None, "\ufeff": None, "\u00ad": None,
    }
)  # fmt: skip
_NUMBERED = re.compile(r"\s*\d+(\t|\u2192)")
_SHOWN_LINES = 6
_MAX_TEXT = 4_000_000  # characters; explaining is a courtesy that may not cost seconds


def explain(old: str, text: str) -> str:
    """One or two sentences for the model about where `old` nearly stands in `text` (both with LF endings); empty when nothing comes near."""
    lines = old.strip("\n").split("\n")
    if len(text) > _MAX_TEXT or not old.strip():
        return ""
    if all(_NUMBERED.match(line) for line in lines if line.strip()):
        return "It begins with line numbers as Read shows them; leave them out."
    if (at := text.find(old.strip("\n"))) >= 0:
        return f"It is in line {text.count(chr(10), 0, at) + 1}, but not with the line breaks at its beginning or end."
    near = _find(lines, text, _by_characters)
    if near is not None and (strange := _strange(near[1], old)):
        found = _quoted(near[1])
        return f"Line {near[0]} differs in look-alike characters ({strange}); copy it exactly: {found}"
    near = _find(lines, text, _by_whitespace)
    if near is not None:
        line, found = near
        return f"Line {line} differs only in whitespace (\\t is a tab); copy it exactly: {_quoted(found)}"
    return ""


def _find(wanted: list[str], text: str, same: Callable[[str], str]) -> tuple[int, str] | None:
    """The first run of whole lines that equals `wanted` under `same`: its 1-based line and its text."""
    key = [same(line) for line in wanted]
    if not any(key):
        return None
    lines = text.split("\n")
    keys = [same(line) for line in lines]
    for start in range(len(keys) - len(key) + 1):
        if _fits(keys[start : start + len(key)], key):
            return start + 1, "\n".join(lines[start : start + len(key)])
    return None


def _fits(found: list[str], key: list[str]) -> bool:
    """Equal, but the first line may begin earlier and the last end later: a model may quote a part of a line."""
    if len(key) == 1:
        return key[0] in found[0]
    return found[0].endswith(key[0]) and found[1:-1] == key[1:-1] and found[-1].startswith(key[-1])


def _by_characters(line: str) -> str:
    return unicodedata.normalize("NFKC", line.translate(_LOOKALIKES))


def _by_whitespace(line: str) -> str:
    return " ".join(_by_characters(line).split())


def _strange(found: str, old: str) -> str:
    """The characters beyond ASCII that stand in one text and not in the other, by code point."""
    characters = sorted(c for c in set(found) ^ set(old) if not c.isascii())
    named = [f"U+{ord(c):04X} {unicodedata.name(c, 'unnamed').lower()}" for c in characters[:4]]
    return ", ".join(named)


def _quoted(found: str) -> str:
    lines = found.split("\n")
    text = "\n".join(lines[:_SHOWN_LINES])
    escaped = "".join(_visible(c) for c in text)
    return f'"{escaped}"' + (" ..." if len(lines) > _SHOWN_LINES else "")


def _visible(c: str) -> str:
    if c == "\t":
        return "\\t"
    if c == "\n":
        return "\\n"
    if "\udc80" <= c <= "\udcff":
        return f"\\x{ord(c) - 0xDC00:02x}"
    odd = not c.isascii() and (c.isspace() or unicodedata.category(c) in ("Cf", "Mn", "Pd", "Pi", "Pf"))
    return f"\\u{ord(c):04x}" if odd else c
