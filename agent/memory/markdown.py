"""The little Markdown that memory files need: fences, block comments, headings, imports."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_COMMENT = re.compile(r" {0,3}<!--")
_BACKTICKS = re.compile(r"`+")
_IMPORT = re.compile(r"(?:(?<=\s)|^)@((?:\\ |[^\s\\])+)")
_TRAILING = ".,;:!?)]}'\"*_>"
HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")


def marked_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line (with its end) and whether it is code: inside a fence, or the fence itself."""
    fence = ""
    for line in text.splitlines(keepends=True):
        found = _FENCE.match(line)
        if fence:
            yield line, True
            closes = found and found[1][0] == fence[0] and len(found[1]) >= len(fence) and not found[2].strip()
            fence = "" if closes else fence
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
            yield line, True
        else:
            yield line, False


def without_comments(text: str) -> str:
    """`text` without HTML comments that begin a line outside code; one that never ends stays."""
    kept: list[str] = []
    held: list[str] = []  # the lines of a comment that is still open
    for line, is_code in marked_lines(text):
        if not held and (is_code or not _COMMENT.match(line)):
            kept.append(line)
            continue
        held.append(line)
        if "-->" in line:
            rest = _after_comments(line, is_open=len(held) > 1)
            held = [rest] if _COMMENT.match(rest) else []
            kept.append(rest if rest.strip() and not held else "")
    return "".join(kept + held)


def _after_comments(line: str, *, is_open: bool) -> str:
    """What follows the comments that end in `line`; a rest that begins another comment stays as it is."""
    while (is_open or _COMMENT.match(line)) and (end := line.find("-->")) >= 0:
        line, is_open = line[end + 3 :], False
    return line


def imports_in(text: str) -> list[str]:
    """The `@path` words outside code, in order, each once, as written (`\\ ` is a blank)."""
    found: dict[str, None] = {}
    for line, is_code in marked_lines(text):
        if not is_code:
            for match in _IMPORT.finditer(_without_spans(line)):
                found[match[1].replace("\\ ", " ")] = None
    return list(found)


def trimmed(word: str) -> str:
    """An import without the punctuation that ends its sentence."""
    return word.rstrip(_TRAILING)


def _without_spans(line: str) -> str:
    """`line` with each code span replaced by a backtick; a run of backticks without its twin is text. Linear."""
    runs = [match.span() for match in _BACKTICKS.finditer(line)]
    twin: dict[int, int] = {}  # index of a run -> index of the next run of its length
    latest: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        if length in latest:
            twin[index] = latest[length]
        latest[length] = index
    kept, at, index = [], 0, 0
    while index < len(runs):
        if index in twin:
            kept.append(line[at : runs[index][0]])
            at, index = runs[twin[index]][1], twin[index]
        index += 1
    return "`".join((*kept, line[at:]))
