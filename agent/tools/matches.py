"""What rg prints, read: `path NUL line` records into result lines."""

import os
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

from agent.tools.search_root import plain


def by_time(names: Iterable[str], cwd: Path) -> list[str]:
    """`names` (relative to `cwd`, or absolute), the most recently changed file first."""
    folder = os.open(cwd, os.O_RDONLY | os.O_CLOEXEC)

    def changed(name: str) -> int:
        try:
            return os.stat(name, dir_fd=folder).st_mtime_ns
        except (OSError, ValueError):
            return 0  # deleted meanwhile, or a name that did not survive decoding

    try:
        ordered = sorted(names)
        ordered.sort(key=changed, reverse=True)  # files of one age stay in the order of their names
    finally:
        os.close(folder)
    return ordered


def count_lines(output: str, keep: Callable[[str], bool]) -> tuple[list[str], int, int]:
    """`path:count` lines by path, the number of files and the sum of the counts."""
    counts = [record for record in _records(output) if keep(record[0])]
    rows = sorted(f"{plain(path)}:{count}" for path, count in counts)
    return rows, len(rows), sum(int(count) for _, count in counts if count.isdecimal())


def content_lines(
    output: str, keep: Callable[[str], bool], *, named: bool, numbered: bool
) -> tuple[list[str], int, int]:
    """`path:12:text` lines (`path-11-text` around them) by path, the number of files and of matching lines.

    rg's threads print files in any order; sorted, the same search gives the same text. `named` False leaves the path out. `numbered` says whether
    rg printed line numbers.
    """
    gaps = f"\n{_GAP}\n" in output
    groups: dict[str, list[str]] = {}
    for path, line in _records(output):
        if keep(path):
            groups.setdefault(path, []).append(line)
    rows: list[str] = []
    hits = 0
    for path in sorted(groups, key=lambda path: plain(path).split("/")):  # as `rg --sort=path` does
        if gaps and rows:
            rows.append(_GAP)
        for line in _without_last_gap(groups[path]):
            separator = _separator(line) if numbered else ":"
            hits += separator == ":" and line != _GAP
            rows.append(f"{plain(path)}{separator}{line}" if named and line != _GAP else line)
    return rows, len(groups), hits


_GAP = "--"


def _records(output: str) -> list[tuple[str, str]]:
    """(path, rest) of each line; the gaps between runs of context lines go to the path before them."""
    records: list[tuple[str, str]] = []
    for line in output.split("\n"):
        path, null, rest = line.partition("\0")
        if null:
            records.append((path, rest.rstrip("\r")))
        elif line == _GAP and records:
            records.append((records[-1][0], _GAP))
    return records


def _without_last_gap(lines: list[str]) -> list[str]:
    return [line for line, following in pairwise([*lines, _GAP]) if not (line == _GAP and following == _GAP)]


def _separator(line: str) -> str:
    """What rg put after the line number: `:` for a match, `-` for a line around it."""
    digits = len(line) - len(line.lstrip("0123456789"))
    return "-" if digits and line[digits : digits + 1] == "-" else ":"
