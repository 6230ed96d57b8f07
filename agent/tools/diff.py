"""The difference between two texts as hunks for the eye, cheap for large files."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from agent.protocol.details import FileDiff, Hunk

CONTEXT = 3  # lines around a change
MAX_COMPARED = 4_000_000  # pairs of lines; beyond, the changed middle counts as one block (difflib is quadratic)
MAX_SHOWN = 1_000  # lines of all hunks together; the counts stay true

_Change = tuple[int, int, int, int]  # old start, old end, new start, new end; 0-based


def file_diff(path: str, old: str | None, new: str) -> FileDiff:
    """What turns `old` into `new`; `old` None is a file that did not exist. Line endings are not shown, but a changed one counts."""
    before, after = _lines(old or ""), _lines(new)
    changes = _changes(before, after)
    return FileDiff(
        path=path,
        created=old is None,
        added=sum(c[3] - c[2] for c in changes),
        removed=sum(c[1] - c[0] for c in changes),
        hunks=tuple(_shortened(_hunks(before, after, changes))),
    )


def _lines(text: str) -> list[str]:
    lines = text.split("\n")  # not splitlines: it also splits at form feeds and U+2028
    if lines[-1] == "":
        lines.pop()
    return lines


def _changes(before: Sequence[str], after: Sequence[str]) -> list[_Change]:
    """The changed ranges; what is equal at both ends is never handed to difflib."""
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if not old and not new:
        return []
    if len(old) * len(new) > MAX_COMPARED:
        return [(head, head + len(old), head, head + len(new))]
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(head + a, head + b, head + c, head + d) for tag, a, b, c, d in codes if tag != "equal"]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _hunks(before: Sequence[str], after: Sequence[str], changes: Sequence[_Change]) -> Iterator[Hunk]:
    for group in _grouped(changes):
        start = max(0, group[0][0] - CONTEXT)
        end = min(len(before), group[-1][1] + CONTEXT)
        new_start = group[0][2] - (group[0][0] - start)
        lines = [f" {line}" for line in before[start : group[0][0]]]
        for (a, b, c, d), (following, *_) in zip(group, [*group[1:], (end, 0, 0, 0)], strict=True):
            lines += [f"-{line}" for line in before[a:b]] + [f"+{line}" for line in after[c:d]]
            lines += [f" {line}" for line in before[b:following]]
        yield _hunk(start + 1, new_start + 1, [line.rstrip("\r") for line in lines])


def _grouped(changes: Sequence[_Change]) -> Iterator[list[_Change]]:
    """Changes whose contexts touch, together."""
    group: list[_Change] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(old_start: int, new_start: int, lines: Sequence[str]) -> Hunk:
    old = sum(1 for line in lines if line[0] != "+")
    new = sum(1 for line in lines if line[0] != "-")
    return Hunk(old_start=old_start, old_lines=old, new_start=new_start, new_lines=new, lines=tuple(lines))


def _shortened(hunks: Iterator[Hunk]) -> Iterator[Hunk]:
    room = MAX_SHOWN
    for hunk in hunks:
        if room <= 0:
            return
        yield hunk if len(hunk.lines) <= room else _hunk(hunk.old_start, hunk.new_start, hunk.lines[:room])
        room -= len(hunk.lines)
