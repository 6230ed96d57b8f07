"""Finds the commands there are: `commands/**/*.md` and `skills/*/SKILL.md` of the person and of the project."""

import hashlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from msgspec import Struct, structs

from agent.custom_commands.command import CustomCommand, Whose, read_command
from agent.files.settled import is_settled
from agent.memory.candidates import markdown_below
from agent.memory.memory_file import Unreadable, read_text
from agent.settings.paths import Places

FILE_LIMIT = 500  # files of one folder
SKILL = "SKILL.md"


class _Found(Struct, frozen=True):
    name: str
    path: Path
    whose: Whose
    within: Path | None  # where its target must lie: a project's link must not lead to the person's own files
    is_skill: bool


class Catalog:
    """The files are looked for each time, and read again when they have changed; `reserved` are the names of our own commands."""

    def __init__(self, places: Places, reserved: Collection[str]) -> None:
        self._places = places
        self._reserved = frozenset(reserved)
        self._read: dict[Path, tuple[tuple[int, int], CustomCommand]] = {}
        self._latest: tuple[CustomCommand, ...] | None = None

    def commands(self) -> tuple[CustomCommand, ...]:
        """Every command by its name, sorted; a project's comes before a person's, and a name of ours is reached as `/project:name`."""
        named: dict[str, CustomCommand] = {}
        for found in self._all():
            command = self._load(found)
            if command is None or not command.for_people:
                continue
            name = f"{found.whose}:{found.name}" if found.name.lower() in self._reserved else found.name
            named[name.lower()] = command if name == found.name else _renamed(command, name)
        self._latest = tuple(sorted(named.values(), key=lambda command: command.name))
        return self._latest

    @property
    def latest(self) -> tuple[CustomCommand, ...]:
        """What `commands` gave last: for what is asked many times a second."""
        return self.commands() if self._latest is None else self._latest

    def find(self, name: str) -> CustomCommand | None:
        """The command that is typed as `name`: its whole name, `user:name` or `project:name`, or its last part when only one has it."""
        wanted = name.lower()
        commands = self.commands()
        for command in commands:
            if wanted == command.name.lower():
                return command
        if wanted in self._reserved:
            return None
        whose, _, rest = wanted.partition(":")
        if rest and whose in ("user", "project"):
            found = [each for each in self._all() if each.whose == whose and each.name.lower() == rest]
            return self._load(found[-1]) if found else None
        ends = [command for command in commands if command.name.lower().rpartition(":")[2] == wanted]
        return ends[0] if len(ends) == 1 else None

    def _all(self) -> Iterator[_Found]:
        """Later ones win."""
        places = self._places
        for home in (places.claude_home, places.ccagent_home):
            yield from _in_folder(home, "user", None)
        for folder in dict.fromkeys((places.project_root, places.cwd)):
            for name in (".claude", ".ccagent"):
                if folder / name not in (places.claude_home, places.ccagent_home):
                    yield from _in_folder(folder / name, "project", places.project_root)

    def _load(self, found: _Found) -> CustomCommand | None:
        """The command, or None when its file cannot be read or leads out of the project."""
        real = Path(os.path.realpath(found.path))
        if found.within is not None and not real.is_relative_to(found.within):
            return None
        try:
            status = real.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._read.get(found.path)
            if known is not None and known[0] == stamp:
                return known[1]
            text = read_text(real)
        except (OSError, Unreadable):
            return None
        if text is None:
            return None
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        command = read_command(
            text, name=found.name, path=found.path, whose=found.whose, digest=digest, is_skill=found.is_skill
        )
        if is_settled(status):
            self._read[found.path] = (stamp, command)
        return command


def _renamed(command: CustomCommand, name: str) -> CustomCommand:
    return structs.replace(command, name=name)


def _in_folder(folder: Path, whose: Whose, within: Path | None) -> Iterator[_Found]:
    for path in markdown_below(folder / "commands", FILE_LIMIT, follow=within is None):
        parts = path.relative_to(folder / "commands").with_suffix("").parts
        if name := _typeable(parts):
            yield _Found(name, path, whose, within, is_skill=False)
    for path in _skills(folder / "skills"):
        if name := _typeable((path.parent.name,)):
            yield _Found(name, path, whose, within, is_skill=True)


def _typeable(parts: tuple[str, ...]) -> str:
    """`frontend/component` is typed `/frontend:component`; "" for what no one could type."""
    name = ":".join(parts)
    return "" if any(char.isspace() or not char.isprintable() or char == "/" for char in name) else name


def _skills(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            paths = sorted(Path(entry.path) / SKILL for entry in entries)
    except OSError:
        return []
    return [path for path in paths if os.path.isfile(path)][:FILE_LIMIT]
