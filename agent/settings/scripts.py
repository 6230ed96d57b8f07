"""Which files of the project a command runs: trust is bound to what stands in them, so that a changed script asks again."""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from agent.files.regular import open_regular

SCRIPT_LIMIT = 4 * 1024 * 1024  # bytes of a script that are bound to the trust

_WORD = re.compile(r"[^\s\"'=;&|<>()]+")
_PROJECT_DIR = re.compile(r"\$\{?(?:CLAUDE|CCAGENT)_PROJECT_DIR\}?\"?/")
_CODE = frozenset(
    [
        ".sh",
        ".bash",
        ".zsh",
        ".fish",
        ".py",
        ".js",
        ".mjs",
        ".cjs",
        ".ts",
        ".mts",
        ".rb",
        ".pl",
        ".php",
        ".lua",
        ".awk",
        ".jq",
        ".mk",
        ".ps1",
        ".go",
        ".rs",
    ]
)
_RUNS_ITS_FILE = re.compile(
    r"(?:\S*/)?(?:\.|source|eval|exec|sh|bash|dash|zsh|ksh|fish|python[\d.]*|pypy[\d.]*|node|deno|bun|ruby|perl|php|lua|awk|sed|jq|make|run|tsx|uv|npx)"
)


def scripts_digest(command: str, root: Path) -> str:
    """SHA-256 over the project's own scripts that `command` names; "" when it names none."""
    digest = hashlib.sha256()
    found = False
    for word, path in _named(command, root):
        try:
            with open_regular(path) as file:
                digest.update(word.encode("utf-8", "surrogateescape") + b"\0" + file.read(SCRIPT_LIMIT))
        except OSError:
            continue
        found = True
    return digest.hexdigest() if found else ""


def named_scripts(commands: Sequence[str], root: Path) -> tuple[Path, ...]:
    """The project's own scripts that `commands` name, each once."""
    return tuple(dict.fromkeys(path for command in commands for _word, path in _named(command, root)))


def _named(command: str, root: Path) -> Iterator[tuple[str, Path]]:
    """The words of `command` that are scripts of the project: a log that a hook writes is none, else every run would ask again."""
    text = _PROJECT_DIR.sub("", command)
    before = ""
    for found in _WORD.finditer(text):
        word, told = found[0], before
        before = before if word.startswith("-") else word  # `python3 -u script`
        path = root / word
        try:
            if not os.path.isfile(path) or not path.resolve().is_relative_to(root):
                continue
            written = text[: found.start()].rstrip(" \t\"'").endswith(">")
            if not written and (_RUNS_ITS_FILE.fullmatch(told) or _is_script(path)):
                yield word, path
        except (OSError, ValueError):
            continue


def _is_script(path: Path) -> bool:
    if path.suffix.lower() in _CODE or path.stat().st_mode & 0o111:
        return True
    with open_regular(path) as file:
        return file.read(2) == b"#!"
