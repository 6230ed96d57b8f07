"""How layers become one: the highest scalar wins, lists follow each other, each value keeps its source."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from agent.protocol.source import Sourced
from agent.settings.layers import Layer
from agent.settings.schema import FileSettings
from agent.settings.settings import SourcedRule

T = TypeVar("T")


def find(layers: Sequence[Layer], get: Callable[[FileSettings], T | None]) -> Sourced[T] | None:
    """What the highest layer that says anything says; layers are lowest first; blank texts say nothing."""
    for layer in reversed(layers):
        value = get(layer.values)
        if value is not None and value != "":
            return Sourced(value, layer.source)
    return None


def pick(layers: Sequence[Layer], get: Callable[[FileSettings], T | None], default: T) -> Sourced[T]:
    """Like `find`, with a default."""
    return find(layers, get) or Sourced(default, "default")


def pick_optional(layers: Sequence[Layer], get: Callable[[FileSettings], T | None]) -> Sourced[T | None]:
    """Like `find`, where nothing said is None by default."""
    found = find(layers, get)
    return Sourced(None, "default") if found is None else Sourced(found.value, found.source)


def merge_env(layers: Sequence[Layer]) -> dict[str, str]:
    """The `env` of all layers, the highest value of each name."""
    merged: dict[str, str] = {}
    for layer in layers:
        merged |= layer.values.env
    return merged


def merge_rules(layers: Sequence[Layer], get: Callable[[FileSettings], tuple[str, ...]]) -> tuple[SourcedRule, ...]:
    """All rules of one kind, each text once, from its lowest place."""
    rules: dict[tuple[str, Path], SourcedRule] = {}
    for layer in layers:
        for text in get(layer.values):
            rules.setdefault((text, layer.base), SourcedRule(text, layer.source, layer.scope, layer.base))
    return tuple(rules.values())


def merge_directories(layers: Sequence[Layer], home: Path) -> tuple[Sourced[Path], ...]:
    """All additional directories, absolute and symlink-free, each once; relative ones start from their layer's base."""
    found: dict[Path, Sourced[Path]] = {}
    for layer in layers:
        for text in layer.values.permissions.additional_directories:
            expanded = home / text[2:] if text.startswith("~/") or text == "~" else layer.base / text
            path = Path(os.path.realpath(expanded))
            found.setdefault(path, Sourced(path, layer.source))
    return tuple(found.values())
