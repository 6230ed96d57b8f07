"""Strict JSON with the line and column of what is wrong."""

import re

import msgspec

from agent.protocol.errors import SettingsError

BOM = b"\xef\xbb\xbf"


def parse_object(data: bytes, source: str) -> dict[str, object]:
    """The JSON object in `data`; blank means empty; SettingsError names `source`, line and column (from 1)."""
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
