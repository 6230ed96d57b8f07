"""The little YAML that stands before Markdown: scalars, lists in brackets or with dashes, and folded blocks."""

import re
from typing import TypeAlias

Value: TypeAlias = str | tuple[str, ...]

BRACE_BUDGET = 1_000  # globs that one list may come to (reference 3.4)

_KEY = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*?)|[ \t]*)[ \t]*")
_ITEM = re.compile(r"[ \t]*-[ \t]+(\S.*?)[ \t]*")
_NOTHING = ("", "null", "~")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def split_frontmatter(text: str) -> tuple[str, str]:
    """The lines between a leading `---` and the next one, and the rest; no frontmatter is ""."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].strip() != "---":
        return "", text
    for at, line in enumerate(lines[1:], start=1):
        if line.strip() == "---":
            return "".join(lines[1:at]), "".join(lines[at + 1 :])
    return "", text


def read_frontmatter(frontmatter: str) -> dict[str, Value]:
    """The top-level keys, in lower case; what is not understood is passed over, never an error."""
    found: dict[str, Value] = {}
    key, more = "", list[str]()
    for line in frontmatter.splitlines():
        started = _KEY.fullmatch(line)
        if started is None:
            more.append(line)
            continue
        _close(found, key, more)
        key, more = started[1].lower(), []
        found[key] = _scalar_or_list(started[2] or "")
    _close(found, key, more)
    return {name: value for name, value in found.items() if value not in _NOTHING and value != ()}


def as_list(value: Value | None) -> tuple[str, ...]:
    """A list as it is; a text split at the commas that stand in no bracket."""
    if value is None or isinstance(value, tuple):
        return value or ()
    parts, depth, part = list[str](), 0, ""
    for char in value:
        depth += (char in "{([") - (char in "})]")
        if char == "," and depth <= 0:
            parts.append(part.strip())
            part = ""
        else:
            part += char
    return tuple(part for part in (*parts, part.strip()) if part)


def path_globs(frontmatter: str) -> tuple[str, ...]:
    """What `paths:` names, braces expanded; empty when the rule is for every file."""
    globs: list[str] = []
    for glob in as_list(read_frontmatter(frontmatter).get("paths")):
        globs += expand_braces(glob, BRACE_BUDGET - len(globs))
    return tuple(globs)


def expand_braces(glob: str, budget: int = BRACE_BUDGET) -> list[str]:
    """`*.{ts,tsx}` as `*.ts` and `*.tsx`; at most `budget` globs, the rest is left out."""
    waiting, done = [glob], list[str]()
    while waiting and len(done) + len(waiting) <= budget:
        first = waiting.pop(0)
        found = _BRACES.search(first)
        if found is None:
            done.append(first)
            continue
        waiting = [first[: found.start()] + part + first[found.end() :] for part in found[1].split(",")] + waiting
    whole = done + [rest for rest in waiting if not _BRACES.search(rest)]
    return list(dict.fromkeys(whole))[: max(0, budget)]


def _close(found: dict[str, Value], key: str, more: list[str]) -> None:
    """Gives the lines after `key:` to it: items of a list, or a block of text."""
    said = found.get(key)
    items = [_bare(item[1]) for line in more if (item := _ITEM.fullmatch(line))]
    if said == "" and items:
        found[key] = tuple(items)
    elif isinstance(said, str) and said[:1] in ("|", ">") and len(said) <= 2:
        found[key] = ("\n" if said[0] == "|" else " ").join(line.strip() for line in more).strip()


def _scalar_or_list(text: str) -> Value:
    if text.startswith("[") and text.endswith("]"):
        return tuple(bare for item in as_list(text[1:-1]) if (bare := _bare(item)))
    return _bare(text)


def _bare(text: str) -> str:
    """Without quotes, or without a comment at the end."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return re.sub(r"[ \t]+#.*", "", text)
