"""Glob patterns as regular expressions over `/`-separated relative paths."""

import re
from collections.abc import Callable, Sequence

from agent.protocol.errors import InvalidToolInput

_EVERYTHING = frozenset({"*", "**", "**/*", "/**", "/**/*"})


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a relative path fits one of `patterns` and none of those that begin with `!`.

    A pattern without a slash is matched against the file's name at any depth, one with a slash against the whole path. `**` spans folders,
    `{a,b}` is either, `[a-z]` a set, a backslash quotes. Raises InvalidToolInput for a pattern that cannot be read.
    """
    positive = [p for p in patterns if not p.startswith("!")]
    wanted = None if _EVERYTHING.intersection(positive) else _compiled(positive)
    unwanted = _compiled([p[1:] for p in patterns if p.startswith("!")])

    if wanted is None and unwanted is None:
        return lambda _path: True

    def fits(path: str) -> bool:
        if unwanted is not None and unwanted.fullmatch(path):
            return False
        return wanted is None or wanted.fullmatch(path) is not None

    return fits


def split_patterns(text: str) -> list[str]:
    """Patterns separated by spaces or by commas outside braces."""
    pieces, depth, current = [], 0, ""
    for c in text:
        depth += (c == "{") - (c == "}")
        if c.isspace() or (c == "," and depth <= 0):
            pieces.append(current)
            current = ""
        else:
            current += c
    return [piece for piece in [*pieces, current] if piece]


def last_part(pattern: str) -> str | None:
    """The part for the file's name if that can be told apart (`*.py` of `src/**/*.py`), else None."""
    name = pattern.rpartition("/")[2]
    whole_braces = name.count("{") == name.count("}") and pattern.count("{") == name.count("{")
    return name if name and name != "**" and whole_braces and "[" not in pattern and "\\" not in pattern else None


def _compiled(patterns: Sequence[str]) -> re.Pattern[str] | None:
    """One expression for all of them; None when there are none."""
    if not patterns:
        return None
    sources = [_translate(p.removeprefix("/"), p) if "/" in p else f"(?:.*/)?{_translate(p, p)}" for p in patterns]
    try:
        return re.compile("|".join(f"(?:{source})" for source in sources), re.DOTALL)
    except re.error as error:
        raise InvalidToolInput(f"The glob {' '.join(patterns)!r} cannot be read: {error.msg}.") from error


def _translate(pattern: str, whole: str) -> str:
    out, at, depth = "", 0, 0
    while at < len(pattern):
        piece, at = _token(pattern, at, depth)
        depth += (piece == "(?:") - (piece == ")")
        out += piece
    if depth:
        raise InvalidToolInput(f"The glob {whole!r} cannot be read: a brace is not closed.")
    return out


def _token(pattern: str, at: int, depth: int) -> tuple[str, int]:
    """The regular expression for what stands at `at`, and where it ends."""
    rest = pattern[at:]
    c = rest[0]
    if rest.startswith("**/") and (at == 0 or pattern[at - 1] in "/{,"):
        return "(?:.*/)?", at + 3
    if rest.startswith("**"):
        return ".*", at + 2
    if c == "[" and (end := _set_end(rest)) > 0:
        return _set(rest[1:end]), at + end + 1
    if c == "\\" and len(rest) > 1:
        return re.escape(rest[1]), at + 2
    simple = {"*": "[^/]*", "?": "[^/]", "{": "(?:"} | ({",": "|", "}": ")"} if depth else {})
    return simple.get(c) or re.escape(c), at + 1


def _set_end(rest: str) -> int:
    """Where the set that begins `rest` closes; a `]` that comes first belongs to it."""
    start = 2 if rest[1:2] in ("!", "^") else 1
    return rest.find("]", start + 1)


def _set(body: str) -> str:
    negated = body[0] in "!^"
    inner = body[1:] if negated else body
    escaped = re.sub(r"([\\\[\]&~|^])", r"\\\1", inner)
    return f"[^/{escaped}]" if negated else f"[{escaped}]"
