"""The rule behind "yes, and do not ask again in this session"."""

import os
from pathlib import Path

from agent.permissions.path_match import literal
from agent.permissions.risky_options import is_risky
from agent.permissions.rule_match import places_of
from agent.permissions.rules import READERS, Rule
from agent.permissions.shell import plain_words
from agent.protocol.tools import Access, Subject

SOURCE = "session"

# Command prefixes whose other arguments change nothing about what a person agreed to.
_PREFIXES = frozenset(
    {
        "cargo build",
        "cargo check",
        "cargo clippy",
        "cargo fmt",
        "cargo test",
        "go build",
        "go test",
        "go vet",
        "npm test",
    }
    | {
        "git add",
        "git commit",
        "git diff",
        "git fetch",
        "git log",
        "git show",
        "git status",
        "uv sync",
        "yarn test",
        "pnpm test",
    }
)
_SCRIPT_RUNNERS = frozenset({"npm run", "pnpm run", "yarn run"})


def session_rule(tool: str, subject: Subject, roots: tuple[Path, ...], home: Path) -> Rule | None:
    """The narrowest useful allow rule for a call like this one; None when no allow rule would ever match it."""
    match subject.access:
        case Access.EXECUTE:
            return _command_rule(tool, subject.command)
        case Access.WRITE:
            return _path_rule("Edit", subject, roots, roots)
        case Access.READ:
            return _path_rule("Read" if tool in READERS else tool, subject, roots, (Path("/"), home, *home.parents))


def _command_rule(tool: str, command: str) -> Rule | None:
    words = plain_words(command)
    if words is None:
        return None
    line = command.strip()
    for length, known in ((3, _SCRIPT_RUNNERS), (2, _PREFIXES)):
        prefix = " ".join(words[:length])
        named = " ".join(words[:2]) in known and len(words) >= length and not words[length - 1].startswith("-")
        if named and line.startswith(prefix) and not is_risky(words, length):
            return Rule(tool, f"{prefix}:*", SOURCE)
    return Rule(tool, line, SOURCE)


def _path_rule(tool: str, subject: Subject, roots: tuple[Path, ...], never: tuple[Path, ...]) -> Rule | None:
    """Everything below the working folder of an edit; the folder of a file read elsewhere, or the file alone where that is too much."""
    if len(subject.paths) != 1:
        return None
    lexical, real = places_of(subject.paths[0])
    if lexical != real:
        return None
    if root := next((root for root in roots if real.is_relative_to(root)), None):
        return Rule(tool, f"{literal(root)}/**", SOURCE)
    folder = real if os.path.isdir(real) else real.parent
    if tool == "Edit" or folder in never:
        return Rule(tool, literal(real), SOURCE)
    return Rule(tool, f"{literal(folder)}/**", SOURCE)
