"""One bad entry is left out with a notice; the rest of the file still counts."""

from collections.abc import Sequence
from types import UnionType
from typing import TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Struct

T = TypeVar("T", bound=Struct)

NUL = "it holds a NUL character"
MOST_NAMED, MOST_CHARS = 10, 100


def read_struct(
    kind: type[T], raw: dict[str, object], notices: list[str], *, silent: frozenset[str] = frozenset()
) -> T:
    """`raw` as a `kind`, without the entries that do not fit; each is named in `notices`, unknown keys together in one line."""
    return msgspec.convert(_prune_struct(kind, raw, "", notices, silent), kind)


def _prune_struct(
    kind: type[Struct], raw: dict[str, object], where: str, notices: list[str], silent: frozenset[str]
) -> dict[str, object]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    kept: dict[str, object] = {}
    for name, value in raw.items():
        if name in fields and value is not None:
            kept |= _prune_value(fields[name].type, name, value, where, notices, silent)
    if unknown := [name for name in raw if name not in fields and name not in silent]:
        notices.append(f"unknown {_keys(unknown)} skipped: {some([where + name for name in unknown])}")
    return kept


def _prune_value(
    kind: object, name: str, value: object, where: str, notices: list[str], silent: frozenset[str]
) -> dict[str, object]:
    """`{name: value}` with the bad parts of `value` left out, or `{}`."""
    path = where + name
    bare = _without_none(kind)
    if isinstance(value, dict) and isinstance(bare, type) and issubclass(bare, Struct) and not _is_whole(bare):
        return {name: _prune_struct(bare, value, f"{path}.", notices, silent)}
    if isinstance(value, list) and get_origin(bare) is tuple:
        return {name: _prune_list(value, path, notices)}
    if isinstance(value, dict) and bare == dict[str, str]:
        return {name: _prune_strings(value, path, notices)}
    if isinstance(value, dict) and get_origin(bare) is dict:
        return {name: _prune_entries(get_args(bare)[1], value, path, notices)}
    if holds_nul(value):
        notices.append(f"{path} skipped: {NUL}")
        return {}
    try:
        msgspec.convert(value, bare)
    except msgspec.ValidationError as error:
        notices.append(f"{path} skipped: {error}")
        return {}
    return {name: value}


def _prune_list(items: list[object], path: str, notices: list[str]) -> list[str]:
    kept = [item for item in items if isinstance(item, str) and item.strip() and "\0" not in item]
    if len(kept) < len(items):
        notices.append(f"{path}: {len(items) - len(kept)} of {len(items)} entries skipped: not a text")
    return kept


def _prune_strings(values: dict[object, object], path: str, notices: list[str]) -> dict[str, str]:
    """Texts stay, numbers and booleans become texts, `NAME=` oddities and the rest go."""
    kept: dict[str, str] = {}
    for name, value in values.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if not isinstance(value, str | int | float) or not name or "=" in str(name) or "\0" in f"{name}{text}":
            notices.append(f"{path}.{name} skipped: not a text")
            continue
        kept[str(name)] = text
    return kept


def _prune_entries(kind: object, values: dict[object, object], path: str, notices: list[str]) -> dict[str, object]:
    """The entries whose value is a `kind`."""
    kept: dict[str, object] = {}
    for name, value in values.items():
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            notices.append(f"{path}.{name} skipped: {error}")
            continue
        kept[str(name)] = value
    return kept


def holds_nul(value: object) -> bool:
    """Whether a text, or a text right within a list or an object, holds the character that no path and no command can."""
    match value:
        case str():
            return "\0" in value
        case list():
            return any(isinstance(item, str) and "\0" in item for item in value)
        case dict():
            return any(isinstance(item, str | list) and holds_nul(item) for item in value.values())
        case _:
            return False


def some(names: Sequence[str]) -> str:
    """The first of many names, each cut, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(name[:MOST_CHARS] for name in names[:MOST_NAMED]) + more


def _is_whole(kind: type[Struct]) -> bool:
    """Whether a struct has required fields, so that it is taken or left as a whole."""
    return any(field.required for field in msgspec.structs.fields(kind))


def _without_none(kind: object) -> object:
    if get_origin(kind) in (Union, UnionType):
        rest = [part for part in get_args(kind) if part is not type(None)]
        if len(rest) == 1:
            return rest[0]
    return kind


def _keys(names: list[str]) -> str:
    return "key" if len(names) == 1 else "keys"
