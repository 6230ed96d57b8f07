"""Whether an option makes a command write files or run programs of somebody's choice; the commands are in risky_options.toml."""

import re
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct

_VERSION = re.compile(r"[\d.-]+$")
_ASSIGNMENT = re.compile(r"[\w.-]+\s*[:+?!]?=(?!\d*$)")


class Risky(Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of the file, which says what each field means."""

    names: str
    always: bool = False
    long: str = ""
    whole: bool = False
    short: str = ""
    words: str = ""
    prefixes: str = ""
    contains: str = ""
    assigns: bool = False
    code: str = ""
    passes_on: str = ""

    def takes(self, argument: str) -> bool:
        """Whether this argument is one of the options."""
        if argument.startswith(tuple(self.prefixes.split())) or (self.contains and self.contains in argument):
            return True
        if self.assigns and _ASSIGNMENT.match(argument):
            return True
        if not argument.startswith("-"):
            return False
        name, longs = _plain(argument.partition("=")[0]), [_plain(long) for long in self.long.split()]
        if argument.startswith("--") and not self.whole:
            return bool(name) and any(long.startswith(name) for long in longs)
        letters = "" if argument.startswith("--") else self.short
        return name in longs or any(letter in argument for letter in letters)


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    runners: tuple[str, ...]
    option: tuple[Risky, ...]


def is_risky(words: Sequence[str], agreed: int = 0) -> bool:
    """Whether these words may write a file or run a program through an option; commands named by a path always may.

    The first `agreed` words stand in the rule itself: a program that a runner (`npx`, `python -m`) is to run must be among them.
    """
    if "/" in words[0]:
        return True
    at = _runner(words)
    if at:
        return at >= agreed or is_risky(words[at:], agreed - at)
    entry, arguments = risky_of(words), words[1:]
    subcommands = [argument for argument in arguments if not argument.startswith("-")][:2]
    if entry.always or not set(entry.words.split()).isdisjoint(subcommands):
        return True
    if words[0] == "tar" and arguments and not arguments[0].startswith("-"):  # a cluster without the dash
        arguments = [f"-{arguments[0]}", *arguments[1:]]
    after = list(arguments).index("--") if entry.passes_on and "--" in arguments else len(arguments)
    passed_on = arguments[after + 1 :]
    if passed_on and any(_table()[entry.passes_on].takes(argument) for argument in passed_on):
        return True
    return any(entry.takes(argument) for argument in arguments[:after])


def risky_of(words: Sequence[str]) -> Risky:
    """The entry for this command, by its first two words or by its first."""
    table, name = _table(), _unversioned(words[0])
    return table.get(f"{name} {words[1]}" if len(words) > 1 else name) or table.get(name) or table["*"]


def _runner(words: Sequence[str]) -> int:
    """Where the program stands that these words run, 0 when they are no runner."""
    start = [_unversioned(words[0]), *words[1:3]]
    length = max((n for n in range(1, len(start) + 1) if " ".join(start[:n]) in _read().runners), default=0)
    if not length:
        return 0
    return next((at for at in range(length, len(words)) if not words[at].startswith("-")), len(words))


def _unversioned(name: str) -> str:
    return name if name in _table() else _VERSION.sub("", name) or name


def _plain(option: str) -> str:
    return option.replace("-", "").replace("_", "").lower()


@lru_cache(maxsize=1)
def _read() -> _File:
    text = files("agent.permissions").joinpath("risky_options.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), _File)


@lru_cache(maxsize=1)
def _table() -> dict[str, Risky]:
    """Each entry by each of its names."""
    return {name.strip(): entry for entry in _read().option for name in _names(entry.names)}


def _names(text: str) -> list[str]:
    return text.split(",") if "," in text else text.split()
