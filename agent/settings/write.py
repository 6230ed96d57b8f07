"""Changes one key of the person's own settings file and leaves every other byte as it is."""

import json
import re
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from agent.files.atomic import files_error, write_atomic
from agent.files.regular import read_regular
from agent.protocol.errors import SettingsError
from agent.settings.json_text import parse_object
from agent.settings.layers import SIZE_LIMIT
from agent.settings.paths import Places

Value: TypeAlias = str | int | float | bool | list[str] | dict[str, str] | None

_BLANK = re.compile(r"[ \t\r\n]*")


class _Member(Struct, frozen=True):
    """A top-level key and where it and its value stand in the text."""

    key: str
    start: int
    value_start: int
    end: int


def set_user_setting(places: Places, key: str, value: Value) -> None:
    """Set the top-level `key` in ~/.ccagent/settings.json (None removes it), atomically.

    Unknown keys, order and layout stay. SettingsError when the file cannot be understood, FilesError when the disk refuses; then
    nothing has changed.
    """
    path = places.user_settings
    text = _read(path)
    parse_object(text.encode(), str(path))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise files_error(f"Could not make {path.parent}", error) from error
    write_atomic(path, edit(text, key, value).encode())


def edit(text: str, key: str, value: Value) -> str:
    """`text`, a valid JSON object or blank, with `key` set to `value` or removed."""
    if not text.strip():
        text = "{}\n"
    members = _members(text)
    found = next((member for member in reversed(members) if member.key == key), None)
    if value is None:
        return text if found is None else _without(text, members, found)
    if found is not None:
        return text[: found.value_start] + _dump(value, _indent(text, found.start)) + text[found.end :]
    return _with(text, members, key, value)


def _with(text: str, members: list[_Member], key: str, value: Value) -> str:
    """`text` with a new last member, laid out like its neighbours."""
    opening = text.index("{") + 1
    indent = _indent(text, members[-1].start) if members else "\n  "
    after = members[-1].end if members else opening
    comma = "," if members else ""
    closing = text[after:] if members else "\n" + text[after:].lstrip()
    member = f"{json.dumps(key, ensure_ascii=False)}: {_dump(value, indent)}"
    return f"{text[:after]}{comma}{indent or ' '}{member}{closing}"


def _without(text: str, members: list[_Member], found: _Member) -> str:
    at = members.index(found)
    if at + 1 < len(members):
        return text[: found.start] + text[members[at + 1].start :]
    if at > 0:
        return text[: members[at - 1].end] + text[found.end :]
    return text[: found.start].rstrip() + text[found.end :].lstrip()


def _members(text: str) -> list[_Member]:
    """The top-level members of a valid JSON object, in order."""
    decoder = json.JSONDecoder()
    at = _skip(text, text.index("{") + 1)
    members: list[_Member] = []
    while text[at] != "}":
        start = at
        key, at = decoder.raw_decode(text, start)
        value_start = _skip(text, _skip(text, at) + 1)
        _value, end = decoder.raw_decode(text, value_start)
        members.append(_Member(str(key), start, value_start, end))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return members


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _indent(text: str, start: int) -> str:
    """The line break and blanks before a member; "" when it does not begin its line."""
    line = text.rfind("\n", 0, start)
    blanks = text[line + 1 : start]
    return f"\n{blanks}" if line >= 0 and not blanks.strip() else ""


def _dump(value: Value, indent: str) -> str:
    """`value` as JSON; its own lines are indented below its key."""
    if not indent:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", indent)


def _read(path: Path) -> str:
    try:
        return read_regular(path, SIZE_LIMIT).decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: not UTF-8.", safe="Nothing was changed.") from error
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror or error}.", safe="Nothing was changed.") from error
