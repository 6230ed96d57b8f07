"""One settings file becomes one layer: typed values, hooks, and what had to be left out."""

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from agent.files.regular import read_regular
from agent.protocol.errors import SettingsError
from agent.protocol.text import few
from agent.settings.hook_entries import HookEntry, hook_entries
from agent.settings.json_text import parse_object, repeated_keys
from agent.settings.paths import Places
from agent.settings.prune import read_struct, some
from agent.settings.schema import KEYS_WITHOUT_EFFECT, FileSettings, Scope

SIZE_LIMIT = 2 * 1024 * 1024  # bytes; reference 2.1


class Layer(Struct, frozen=True):
    """What one place says; `base` is the folder its relative directories start from."""

    source: str
    scope: Scope
    base: Path
    values: FileSettings
    hooks: tuple[HookEntry, ...] = ()


class Read(Struct, frozen=True):
    """Layers from lowest to highest, one plain line for each thing left out, and the files that could not be read at all."""

    layers: tuple[Layer, ...]
    notices: tuple[str, ...]
    broken: tuple[Path, ...] = ()


def candidate_files(places: Places) -> tuple[tuple[Path, Scope], ...]:
    """Every place a settings file may be, lowest first, managed ones last (cli.md)."""
    root = places.project_root
    return (
        (places.claude_home / "settings.json", "user"),
        (places.user_settings, "user"),
        (root / ".claude/settings.json", "project"),
        (root / ".ccagent/settings.json", "project"),
        (root / ".claude/settings.local.json", "local"),
        (root / ".ccagent/settings.local.json", "local"),
        *((path, "managed") for path in _managed_files(places.managed_dir)),
    )


def read_files(places: Places) -> Read:
    """Every settings file there is; one reached by two names is read once."""
    layers: list[Layer] = []
    notices: list[str] = []
    broken: list[Path] = []
    seen: set[str] = set()
    for path, scope in candidate_files(places):
        real = os.path.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        layer, lines = read_file(path, scope, places.project_root if scope in ("project", "local") else path.parent)
        layers += [layer] if layer else []
        broken += [path] if lines and not layer else []
        notices += lines
    return Read(tuple(layers), tuple(notices), tuple(broken))


def read_file(path: Path, scope: Scope, base: Path) -> tuple[Layer | None, list[str]]:
    """The layer of one file; None when there is none or it cannot be used, which the lines then say."""
    try:
        data = read_regular(path, SIZE_LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        return None, []
    except OSError as error:
        return None, [f"{path} skipped: {error.strerror or error}"]
    try:
        layer, lines = make_layer(parse_object(data, str(path)), str(path), scope, base)
    except SettingsError as error:
        return None, [error.line]
    return layer, [*repetitions(data, str(path)), *lines]


def repetitions(data: bytes, source: str) -> list[str]:
    """A line for keys that stand twice: a rule or hook in the first one is lost, and nobody would see it."""
    keys = repeated_keys(data)
    return [f"{source}: {some(keys)} more than once in one object; only the last counts"] if keys else []


def make_layer(raw: dict[str, object], source: str, scope: Scope, base: Path) -> tuple[Layer, list[str]]:
    """A layer from parsed JSON; the lines name what was left out and where."""
    lines: list[str] = []
    values = read_struct(FileSettings, raw, lines, silent=KEYS_WITHOUT_EFFECT)
    hooks, hook_lines = hook_entries(values.hooks, source, scope)
    layer = Layer(source, scope, base, msgspec.structs.replace(values, hooks={}), hooks)
    return layer, [f"{source}: {line}" for line in few([*lines, *hook_lines])]


def _managed_files(folder: Path) -> tuple[Path, ...]:
    try:
        extra = sorted(p for p in (folder / "managed-settings.d").iterdir() if p.suffix == ".json")
    except OSError:
        extra = []
    return (folder / "managed-settings.json", *extra)
