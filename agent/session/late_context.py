"""What has changed around a conversation that is gone on with: told late, so that every byte that was sent stays as it was."""

import os
import re
from collections.abc import Sequence

from agent.memory.claude_md import Memory, MemoryFile, render_memory
from agent.memory.render import render_file
from agent.prompts.environment import CONTEXT
from agent.prompts.reminder import kept_inside
from agent.transcript.entries import MessageEntry

# what is for some files only says so after a semicolon: it comes and goes with them
_MEMORY = re.compile(r"^Contents of (.+?) \((?:set by whoever|the user's own|this project's)[^;\n]*\):$", re.MULTILINE)

_FILE = re.compile(r"^Contents of (.+?) \((?=.*\):$)", re.MULTILINE)


def files_given(recorded: Sequence[MessageEntry]) -> set[str]:
    """The real paths of all memory that stands in `recorded`, also of what came with a file that was read."""
    texts = (entry.message.text for entry in recorded if entry.is_meta or entry.message.tool_results)
    return {os.path.realpath(path) for text in texts for path in _FILE.findall(text)}


class Given:
    """What a conversation has been told so far beside its prompts; of two texts about one thing the later one counts.

    It is made of the record, not of what a person has left of it: what they took out of the context is not told again.
    """

    def __init__(self, recorded: Sequence[MessageEntry]) -> None:
        self._text = "\n".join(entry.message.text for entry in recorded if entry.is_meta)

    @property
    def introduced(self) -> bool:
        """Whether it was told where the work happens."""
        return CONTEXT in self._text

    def changed(self, memory: Memory) -> tuple[MemoryFile, ...]:
        """The files whose text is not the one that was given last."""
        return tuple(file for file in memory.files if not self._holds(file))

    def gone(self, memory: Memory) -> tuple[str, ...]:
        """The paths whose text was given and which are memory no longer."""
        present = {str(file.path) for file in memory.files}
        given = dict.fromkeys(path for path in _MEMORY.findall(self._text) if path not in present)
        return tuple(path for path in given if self._text.rfind(_gone(path)) < self._text.rfind(_heading(path)))

    def knows_date(self, date: str) -> bool:
        """Whether `date` (ISO) is the one that was told last."""
        told = re.findall(r"^(?:Date: |The date is now )(\d{4}-\d\d-\d\d)", self._text, re.MULTILINE)
        return not told or told[-1] == date

    def _holds(self, file: MemoryFile) -> bool:
        said = kept_inside(render_file(file)).strip()
        at = self._text.rfind(_heading(str(file.path)))
        return at >= 0 and self._text.startswith(said, at)


def late_memory(changed: Sequence[MemoryFile], gone: Sequence[str]) -> str:
    """The text that puts `changed` in force in place of what was given earlier, and `gone` out of it; "" for neither."""
    news = "These are new, or have changed since they were given; an earlier text of the same file no longer holds."
    parts = [render_memory(Memory(tuple(changed))), news] if changed else []
    return "\n\n".join([*parts, *map(_gone, gone)])


def late_date(date: str) -> str:
    """The text for a day that is not the one the conversation knows."""
    return f"The date is now {date}."


def _heading(path: str) -> str:
    return f"Contents of {path} ("


def _gone(path: str) -> str:
    return f"{path} is no longer among the standing instructions: what it said no longer holds."
