"""A first CLAUDE.md from what lies in a project: what it is, its commands, its folders; no model is asked."""

import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from agent.memory.memory_file import Unreadable, read_text
from agent.protocol.text import counted

MOST_FILES = 20_000
MOST_SCRIPTS = 12
_SKIPPED = frozenset(
    {"node_modules", "__pycache__", "venv", "dist", "build", "target", "vendor", "site-packages", "coverage"}
)
_LANGUAGES = {
    ".py": "Python",
    ".ts": "TypeScript",
    ".tsx": "TypeScript",
    ".js": "JavaScript",
    ".jsx": "JavaScript",
    ".go": "Go",
    ".rs": "Rust",
    ".java": "Java",
    ".kt": "Kotlin",
    ".rb": "Ruby",
    ".php": "PHP",
    ".c": "C",
    ".h": "C",
    ".cpp": "C++",
    ".cs": "C#",
    ".swift": "Swift",
    ".sh": "Shell",
}
_TARGET = re.compile(r"^([A-Za-z][\w.-]*)\s*:(?!=)", re.MULTILINE)


def draft_memory(root: Path) -> str:
    """The text of a CLAUDE.md for the project in `root`. Blocks: it looks at up to MOST_FILES names and reads a few files."""
    suffixes, folders = _survey(root)
    parts = [f"# {root.name or 'Project'}", _about(root), _languages(suffixes)]
    if commands := list(dict.fromkeys(_commands(root))):
        parts += ["## Commands", "\n".join(f"- {command}" for command in commands)]
    if folders:
        rows = [f"- `{name}/`: {counted(count, 'file')}" for name, count in sorted(folders.items())]
        parts += ["## Folders", "\n".join(rows)]
    parts += [
        "## Rules",
        "- (What should every session know? Conventions, what never to touch, how to check a change.)",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _survey(root: Path) -> tuple[Counter[str], Counter[str]]:
    """How many files of each suffix, and in each top folder."""
    suffixes: Counter[str] = Counter()
    folders: Counter[str] = Counter()
    seen = 0
    for parent, below, names in os.walk(root):
        below[:] = sorted(name for name in below if not name.startswith(".") and name not in _SKIPPED)
        here = Path(parent).relative_to(root).parts
        suffixes.update(Path(name).suffix for name in names)
        if here:
            folders[here[0]] += len(names)
        seen += len(names)
        if seen > MOST_FILES:
            break
    return suffixes, folders


def _about(root: Path) -> str:
    """The first paragraph of the README that is prose."""
    for name in ("README.md", "README.rst", "README", "readme.md"):
        for block in re.split(r"\n\s*\n", _text(root / name)):
            words = " ".join(block.split())
            if words and not words.startswith(("#", "!", "[!", "<", "=", "-", "|", "```", ".. ")):
                return words[:500]
    return ""


def _languages(suffixes: Counter[str]) -> str:
    files: Counter[str] = Counter()
    for suffix, count in suffixes.items():
        if language := _LANGUAGES.get(suffix):
            files[language] += count
    largest = sorted(files.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
    named = [f"{language} ({counted(count, 'file')})" for language, count in largest]
    return f"Written in {', '.join(named)}." if named else ""


def _commands(root: Path) -> Iterator[str]:
    """What the project's own files say can be run."""
    yield from _npm(root)
    yield from _make(root)
    if os.path.isfile(root / "Cargo.toml"):
        yield "Build and tests: `cargo build`, `cargo test`"
    if os.path.isfile(root / "go.mod"):
        yield "Build and tests: `go build ./...`, `go test ./...`"
    yield from _python(root)


def _npm(root: Path) -> Iterator[str]:
    try:
        package = json.loads(_text(root / "package.json") or "{}")
    except (ValueError, RecursionError):
        return
    scripts = package.get("scripts") if isinstance(package, dict) else None
    known = list(scripts.items()) if isinstance(scripts, dict) else []
    for name, command in known[:MOST_SCRIPTS]:
        yield f"`npm run {name}`: `{command}`" if isinstance(command, str) else f"`npm run {name}`"


def _make(root: Path) -> Iterator[str]:
    targets = list(dict.fromkeys(_TARGET.findall(_text(root / "Makefile"))))
    for target in targets[:MOST_SCRIPTS]:
        yield f"`make {target}`"


def _python(root: Path) -> Iterator[str]:
    text = _text(root / "pyproject.toml")
    try:
        project = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        project = {}
    tools = project.get("tool", {})
    tools = tools if isinstance(tools, dict) else {}
    if "pytest" in tools or os.path.isfile(root / "pytest.ini") or "pytest" in text:
        yield "Tests: `pytest`"
    for name, command in (("ruff", "ruff check ."), ("mypy", "mypy ."), ("black", "black .")):
        if name in tools:
            yield f"`{command}`"


def _text(path: Path) -> str:
    try:
        return read_text(path) or ""
    except (Unreadable, OSError):
        return ""
