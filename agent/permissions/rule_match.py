"""Whether a rule names a call: allow rules strictly, deny and ask rules liberally."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from agent.permissions.command_match import is_wild, matches_command
from agent.permissions.path_match import PathScope, anchor, matches
from agent.permissions.protected import is_protected
from agent.permissions.risky_options import is_risky
from agent.permissions.rules import EDITORS, Rule
from agent.permissions.shell import hidden_commands, plain_words
from agent.protocol.tools import Access, Subject

MAX_LETTERS = 12  # options in one cluster that are looked through


class Call(Struct, frozen=True):
    """A tool's name and what this call of it touches."""

    tool: str
    subject: Subject


def names_call(rule: Rule, call: Call, scope: PathScope, *, liberal: bool) -> bool:
    """Whether `rule` names `call`.

    Liberally one path, one hidden command or a symlink's target is enough, and a Read rule also covers editing; strictly all paths
    and their targets must be named, and what a rule says of commands is true of one plain line alone, without metacharacters or
    risky options.
    """
    if not rule.names(call.tool) and not (liberal and _covers_edit(rule, call)):
        return False
    if call.subject.access is Access.EXECUTE:
        return _names_command(rule, call.subject, liberal)
    if rule.spec is None:
        return True
    anchored = anchor(rule.spec, rule.base, scope, anywhere=liberal)
    paths = call.subject.paths
    if not liberal:
        return bool(paths) and all(matches(anchored, place) for path in paths for place in places_of(path))
    return any(matches(anchored, place, fold=True) for path in paths for place in _with_content(path))


def allowing_rule(rules: Sequence[Rule], call: Call, scope: PathScope) -> Rule | None:
    """The first rule that strictly names `call`."""
    return next((rule for rule in rules if names_call(rule, call, scope, liberal=False)), None)


def places_of(path: Path) -> tuple[Path, Path]:
    """The path as written, and where its symlinks lead."""
    return Path(os.path.normpath(path)), Path(os.path.realpath(path))


def _names_command(rule: Rule, subject: Subject, liberal: bool) -> bool:
    if liberal:
        return rule.spec is None or any(matches_command(rule.spec, line) for line in hidden_commands(subject.command))
    if rule.spec is None:  # every command, whatever its shape: whoever writes `Bash` alone means it
        return not any(_touches_protected(line.split(), subject.cwd) for line in hidden_commands(subject.command))
    words = plain_words(subject.command)
    if words is None or (
        is_wild(rule.spec) and (is_risky(words, _agreed(rule.spec)) or _touches_protected(words, subject.cwd))
    ):
        return False
    return matches_command(rule.spec, subject.command)


def _agreed(spec: str) -> int:
    """How many words a specifier spells out before its first `*`."""
    start = spec.strip().partition("*")[0]
    words = plain_words(start.removesuffix(":")) or ()
    return len(words) if start.endswith((" ", ":")) else len(words) - 1


def _touches_protected(words: Sequence[str], cwd: Path | None) -> bool:
    """Whether a word names a file that steers what runs later, or the command runs in such a folder."""
    named = [part for word in words[1:] for part in _paths_in(word) if part]
    return any(is_protected(Path(part)) for part in named) or (cwd is not None and is_protected(cwd))


def _paths_in(word: str) -> Iterator[str]:
    """What of a word may be a path: all of it, what follows "=", and what is stuck to single letters (`cp -rt.git/hooks x`)."""
    yield word
    yield word.partition("=")[2]
    if word.startswith("-") and not word.startswith("--"):
        yield from (word[at:] for at in range(2, min(len(word), MAX_LETTERS)))


def _covers_edit(rule: Rule, call: Call) -> bool:
    """What must not be read must not be edited, and a path closed to one editing tool is closed to all."""
    return rule.tool in {"Read", *EDITORS} and rule.spec is not None and call.tool in EDITORS


def _with_content(path: Path) -> tuple[Path, ...]:
    """The places of `path`, and for a folder any file in it: `secrets/**` denies searching `secrets`."""
    places = places_of(path)
    return (*places, *(place / "*" for place in places if os.path.isdir(place)))
