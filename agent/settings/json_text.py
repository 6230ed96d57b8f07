"""Strict JSON with the line and column of what is wrong."""

import json
import re
from collections import Counter
from contextlib import suppress

import msgspec

from agent.protocol.errors import SettingsError

BOM = b"\xef\xbb\xbf"
_OTHER_TEXT = (b"\xff\xfe", b"\xfe\xff")  # the byte-order marks of UTF-16, and of UTF-32 with its NULs


def parse_object(data: bytes, source: str) -> dict[str, object]:
    """The JSON object in `data`; blank means empty; SettingsError names `source`, line and column (from 1)."""
    if data.startswith(_OTHER_TEXT) or b"\0" in data[:4]:
        raise SettingsError(f"{source}: not UTF-8 but UTF-16 or UTF-32.", do="Save it as UTF-8; it was not read.")
    body = data.removeprefix(BOM)
    if not body.strip():
        return {}
    try:
        value: object = msgspec.json.decode(body)
    except msgspec.MsgspecError as error:
        raise SettingsError(
            f"{source}{_place(body, error)}: {_reason(error)}.", do="Mend the file; it was not read."
        ) from error
    except RecursionError as error:
        raise SettingsError(f"{source}: nested too deeply.", do="Mend the file; it was not read.") from error
    if not isinstance(value, dict):
        raise SettingsError(f"{source}: not a JSON object.", do="Mend the file; it was not read.")
    return value


def repeated_keys(data: bytes) -> tuple[str, ...]:
    """The keys that stand twice in one object of a text that `parse_object` has read: of each the last one counts."""
    found: dict[str, None] = {}

    def see(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found.update((name, None) for name, count in Counter(name for name, _value in pairs).items() if count > 1)
        return dict(pairs)

    with suppress(ValueError, RecursionError):
        json.loads(data.removeprefix(BOM) or b"{}", object_pairs_hook=see)
    return tuple(found)


def _place(body: bytes, error: msgspec.MsgspecError) -> str:
    """`:line:column` of the byte the decoder stopped at; text that ends too soon stops at its end."""
    message = str(error)
    if found := re.search(r"\(byte (\d+)\)", message):
        at = int(found[1]) - ("trailing characters" in message)  # there the decoder counts one too many
    elif "UTF-8" in message:
        at = _first_bad_byte(body)
    elif "truncated" in message:
        at = len(body)
    else:
        return ""
    before = body[:at]
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    line = before.count(b"\n") + 1
    return f":{line}:{column}"


def _first_bad_byte(body: bytes) -> int:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _reason(error: msgspec.MsgspecError) -> str:
    message = re.sub(r" \(byte \d+\)| - at `.*`", "", str(error)).removeprefix("JSON is malformed: ")
    return "the text ends too soon" if "truncated" in message else message
