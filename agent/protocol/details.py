"""What a tool shows a person: data for the eye, never text for the model."""

from typing import TypeAlias

from msgspec import Struct


class Hunk(Struct, frozen=True, tag=True):
    """One hunk of a diff: 1-based starts, and lines that begin with ' ', '+' or '-'."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...]


class FileDiff(Struct, frozen=True, tag=True):
    """A file created or changed."""

    path: str
    created: bool
    added: int
    removed: int
    hunks: tuple[Hunk, ...]


class FileText(Struct, frozen=True, tag=True):
    """A file read: which lines of how many."""

    path: str
    first_line: int
    lines: int
    total_lines: int
    truncated: bool = False


class CommandOutput(Struct, frozen=True, tag=True):
    """A command run: its merged output as shown, exit code (None = killed) and time in milliseconds."""

    command: str
    output: str
    exit_code: int | None
    duration_ms: int
    timed_out: bool = False
    spilled_to: str = ""


class Matches(Struct, frozen=True, tag=True):
    """A search: what for, how many files and hits, the shown lines."""

    pattern: str
    files: int
    hits: int
    lines: tuple[str, ...]
    truncated: bool = False


class PlainText(Struct, frozen=True, tag=True):
    """Anything else worth a few lines."""

    text: str


Details: TypeAlias = FileDiff | FileText | CommandOutput | Matches | PlainText
