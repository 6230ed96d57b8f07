"""Path specifiers of rules: gitignore syntax with `//abs`, `~/home`, `/source` and `cwd`-relative forms (reference 2.3)."""

import fnmatch
import os
import re
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

_SINGLE_FOLDER = re.compile(r"[^/*?\[\]]+/\*\*")


class PathScope(Struct, frozen=True):
    """What relative specifiers start from; absolute folders."""

    cwd: Path
    home: Path


class Anchored(Struct, frozen=True):
    """A specifier split in the folder it starts from and the gitignore pattern below it."""

    folder: Path
    segments: tuple[str, ...]


def anchor(spec: str, base: Path | None, scope: PathScope, *, anywhere: bool) -> Anchored:
    """Where `spec` starts; `anywhere` is for deny and ask, where `src/**` counts at any depth."""
    pattern = spec
    if pattern.startswith("//"):
        folder, rest, fixed = Path("/"), pattern[2:], True
    elif pattern.startswith("~/"):
        folder, rest, fixed = scope.home, pattern[2:], True
    elif pattern.startswith("/"):
        folder, rest, fixed = base or scope.cwd, pattern[1:], True
    elif pattern.startswith("./"):
        folder, rest, fixed = scope.cwd, pattern[2:], True
    else:
        folder, rest, fixed = scope.cwd, pattern, "/" in pattern.rstrip("/")
        fixed = fixed and not (anywhere and _SINGLE_FOLDER.fullmatch(pattern) is not None)
    segments = tuple(segment for segment in rest.split("/") if segment not in ("", "."))
    while segments and segments[0] == "..":
        folder, segments = folder.parent, segments[1:]
    return Anchored(folder, segments if fixed else ("**", *segments))


def matches(anchored: Anchored, path: Path, *, fold: bool = False) -> bool:
    """Whether `path`, or a folder above it, is what the specifier names; `fold` ignores case."""
    for folder in {anchored.folder, Path(os.path.realpath(anchored.folder))}:
        inside = _parts_below(path, folder, fold)
        if inside is not None and _match(anchored.segments, inside, fold):
            return True
    return False


def literal(path: Path) -> str:
    """`path` as a specifier that names it and what is below it, and nothing else."""
    return "/" + re.sub(r"([*?\[\]\\!#()])", r"\\\1", str(path))


def _parts_below(path: Path, folder: Path, fold: bool) -> tuple[str, ...] | None:
    parts, above = path.parts, folder.parts
    if fold:
        parts, above = tuple(p.casefold() for p in parts), tuple(p.casefold() for p in above)
    return parts[len(above) :] if parts[: len(above)] == above else None


def _match(segments: tuple[str, ...], parts: tuple[str, ...], fold: bool) -> bool:
    """Segment by segment, keeping every position the pattern may have reached: linear in both, whatever the pattern."""
    reached = {0}
    for part in (*parts, None):
        reached = _skip_any(segments, reached)
        if len(segments) in reached:
            return True  # the path so far is named, so all below it is
        if part is None:
            return False
        stay = {at for at in reached if segments[at] == "**"}
        step = {at + 1 for at in reached - stay if _segment(segments[at], fold).fullmatch(part)}
        if any(at + 1 == len(segments) for at in stay):
            return True  # a closing ** names everything below
        reached = stay | step
    return False


def _skip_any(segments: tuple[str, ...], reached: set[int]) -> set[int]:
    """`**` also stands for no folder at all, except at the end, where something must follow."""
    grown = set(reached)
    for at in sorted(reached):
        while at + 1 < len(segments) and segments[at] == "**":
            at += 1
            grown.add(at)
    return grown


@lru_cache(maxsize=512)
def _segment(pattern: str, fold: bool) -> re.Pattern[str]:
    """One segment as a regular expression; fnmatch's translation does not backtrack without bound."""
    glob = re.sub(r"\\(.)", lambda m: f"[{m[1]}]" if m[1] in "*?[" else m[1], pattern).replace("[^", "[!")
    return re.compile(fnmatch.translate(glob.casefold() if fold else glob))
