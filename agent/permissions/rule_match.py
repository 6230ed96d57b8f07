"""Whether a rule names a call: allow rules strictly, deny and ask rules liberally."""

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from agent.permissions.command_match import is_wild, matches_command
from agent.permissions.path_match import PathScope, anchor, matches
from agent.permissions.risky_options import is_risky
from agent.permissions.rules import EDITORS, Rule
from agent.permissions.shell import hidden_commands, plain_words
from agent.protocol.tools import Access, Subject


class Call(Struct, frozen=True):
    """A tool's name and what this call of it touches."""

    tool: str
    subject: Subject


def names_call(rule: Rule, call: Call, scope: PathScope, *, liberal: bool) -> bool:
    """Whether `rule` names `call`.

    Liberally one path, one hidden command or a symlink's target is enough, and a Read rule also covers editing; strictly all paths
    and their targets must be named, and a command must be one plain line without metacharacters or risky options.
    """
    if not rule.names(call.tool) and not (liberal and _read_covers_edit(rule, call)):
        return False
    if call.subject.access is Access.EXECUTE:
        return _names_command(rule, call.subject.command, liberal)
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


def _names_command(rule: Rule, command: str, liberal: bool) -> bool:
    if liberal:
        return rule.spec is None or any(matches_command(rule.spec, line) for line in hidden_commands(command))
    words = plain_words(command)
    if words is None or (is_wild(rule.spec) and is_risky(words)):
        return False
    return rule.spec is None or matches_command(rule.spec, command)


def _read_covers_edit(rule: Rule, call: Call) -> bool:
    return rule.tool == "Read" and rule.spec is not None and call.tool in EDITORS


def _with_content(path: Path) -> tuple[Path, ...]:
    """The places of `path`, and for a folder any file in it: `secrets/**` denies searching `secrets`."""
    places = places_of(path)
    return (*places, *(place / "*" for place in places if place.is_dir()))
