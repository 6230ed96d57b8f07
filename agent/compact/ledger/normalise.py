"""Texts made comparable: case, width, markup and spacing say nothing about whether a fact still stands."""

import re
import unicodedata

_MARKUP = re.compile(r"[`*\"'“”‘’「」『』]+")
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"[a-z0-9_]")


def normalised(text: str) -> str:
    """`text` folded: compatibility forms, lower case, no quotes or emphasis, single spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _SPACES.sub(" ", _MARKUP.sub("", folded)).strip()


def stands_in(needle: str, text: str) -> bool:
    """Whether `needle` stands in `text` as itself and not as a part of a longer name; both are normalised."""
    at = text.find(needle) if needle else -1
    while at >= 0:
        if not _joined(text[at - 1 : at], needle[0]) and not _goes_on(needle[-1], text[at + len(needle) :][:2]):
            return True
        at = text.find(needle, at + 1)
    return False


def _joined(before: str, first: str) -> bool:
    return bool(before) and bool(_WORD.match(first)) and (bool(_WORD.match(before)) or before == "-")


def _goes_on(last: str, after: str) -> bool:
    """`a.py` goes on in `a.pyc` and `a.py.bak`, not in `a.py.` or `a.py:3`."""
    if not after or not _WORD.match(last):
        return False
    return bool(_WORD.match(after)) or (after[0] in ".-/" and bool(_WORD.match(after[1:])))
