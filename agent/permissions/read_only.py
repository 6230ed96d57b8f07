"""Commands that only read, with options that only format: the ones that never need a question (reference 2.3)."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from agent.permissions.git_repository import starts_nothing


class ReadOnly(Struct, frozen=True):
    """Of one command: allowed short letters, allowed long options, whether operands name files (else they are words)."""

    short: str
    long: frozenset[str]
    files: bool = True
    recursive: str = ""
    pattern_first: bool = False


def _reads(
    short: str, long: str = "", *, files: bool = True, recursive: str = "", pattern_first: bool = False
) -> ReadOnly:
    return ReadOnly(short, frozenset(long.split()), files, recursive, pattern_first)


COMMANDS: dict[str, ReadOnly] = {
    "ls": _reads(
        "1aAbBcCdFgGhiIklmnNopqQrRsStuUvxX", "all almost-all color human-readable directory size reverse recursive"
    ),
    "cat": _reads("AbeEnstTuv", "number number-nonblank show-all show-ends squeeze-blank"),
    "pwd": _reads("LP", files=False),
    "head": _reads("0123456789cnqvz", "lines bytes quiet verbose"),
    "tail": _reads("0123456789cnqvz", "lines bytes quiet verbose"),
    "wc": _reads("clLmw", "bytes chars lines words max-line-length"),
    "which": _reads("a", "all", files=False),
    "grep": _reads(
        "0123456789ABCEFGHILPTVZabcehilmnoqrsvwxyz",
        "after-context before-context context count extended-regexp fixed-strings files-with-matches files-without-match"
        " ignore-case invert-match line-number max-count no-filename only-matching quiet word-regexp line-regexp color",
        recursive="r",
        pattern_first=True,
    ),
}

_GIT_FORMATS = frozenset(
    [
        "all",
        "author",
        "branch",
        "branches",
        "cached",
        "color",
        "decorate",
        "first-parent",
        "follow",
        "graph",
        "grep",
        "ignore-all-space",
        "max-count",
        "merges",
        "name-only",
        "name-status",
        "no-color",
        "no-ext-diff",
        "no-merges",
        "no-pager",
        "no-patch",
        "no-textconv",
        "numstat",
        "oneline",
        "patch",
        "pickaxe-regex",
        "porcelain",
        "reverse",
        "short",
        "shortstat",
        "since",
        "staged",
        "stat",
        "summary",
        "tags",
        "unified",
        "until",
        "untracked-files",
    ]
)
GIT: dict[str, ReadOnly] = {
    "status": ReadOnly("bsuvz", _GIT_FORMATS),
    "log": ReadOnly("0123456789nps", _GIT_FORMATS),
    "diff": ReadOnly("0123456789abpUw", _GIT_FORMATS),
    "show": ReadOnly("0123456789psUw", _GIT_FORMATS),
}

READ_ONLY_NAMES: tuple[str, ...] = (*sorted(COMMANDS), *(f"git {name}" for name in sorted(GIT)))
"""The whole list, for people."""

_VALUE = re.compile(r"[\w.,:@^+/% -]*")


def is_read_only(words: Sequence[str], cwd: Path, may_read: Callable[[Path], bool], *, restricted: bool) -> bool:
    """Whether these words surely read only, and only what `may_read` lets be read without a question.

    `restricted` says that some paths must not be read: then nothing that walks folders or history is sure.
    """
    name, arguments = words[0], words[1:]
    if name == "git":
        return bool(arguments) and _is_git_reading(arguments, cwd, may_read, restricted)
    rules = COMMANDS.get(name)
    return rules is not None and _all_safe(rules, arguments, cwd, may_read, restricted)


def _is_git_reading(arguments: Sequence[str], cwd: Path, may_read: Callable[[Path], bool], restricted: bool) -> bool:
    if arguments[0] == "--no-pager":
        arguments = arguments[1:]
    rules = GIT.get(arguments[0]) if arguments else None
    if rules is None or (restricted and arguments[0] != "status") or not starts_nothing(cwd):
        return False
    return may_read(cwd) and _all_safe(rules, arguments[1:], cwd, may_read, restricted)


def _all_safe(
    rules: ReadOnly, arguments: Sequence[str], cwd: Path, may_read: Callable[[Path], bool], restricted: bool
) -> bool:
    operands: list[str] = []
    for argument in arguments:
        if argument == "--" or not argument.startswith("-"):
            operands.append(argument)
        elif argument == "-" or not _is_safe_option(rules, argument, restricted):
            return False
    if not rules.files:
        return not any("/" in operand for operand in operands)
    paths = operands[1:] if rules.pattern_first else operands
    inside = all(_is_inside(operand, cwd, may_read) for operand in operands)
    return inside and (bool(paths) or may_read(cwd))


def _is_safe_option(rules: ReadOnly, option: str, restricted: bool) -> bool:
    if restricted and any(letter in option for letter in rules.recursive):
        return False
    if option.startswith("--"):
        name, _, value = option[2:].partition("=")
        return name in rules.long and _VALUE.fullmatch(value) is not None
    return all(letter in rules.short for letter in option[1:])


def _is_inside(operand: str, cwd: Path, may_read: Callable[[Path], bool]) -> bool:
    """Whether an operand, if it is a path, stays below the folders; a word that is no file is taken for one all the same."""
    if operand.startswith(("/", "~")) or ".." in operand.split("/") or "\0" in operand:
        return False
    return may_read(Path(os.path.normpath(cwd / operand)))
