"""What a person may say of auto-compact: on, off, auto, or a window."""

import re
from typing import Literal, TypeAlias

from agent.protocol.errors import UsageError

Switch: TypeAlias = Literal["on", "off", "auto"]
AutoCompactChoice: TypeAlias = Switch | int

_SWITCHES: dict[str, Switch] = {"on": "on", "off": "off", "auto": "auto"}
_NUMBER = re.compile(r"(?P<number>\d{1,12}(?:\.\d{1,6})?)(?P<unit>[km]?)", re.IGNORECASE | re.ASCII)
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


def parse_autocompact(text: str) -> AutoCompactChoice:
    """The argument of `/autocompact` and `--autocompact`: a switch, or a window in tokens.

    Takes 120000, 120_000, 500k, 1M; a bare number from 100 to 1000 counts thousands. "auto" means: no window of one's own.
    Raises UsageError for anything else.
    """
    word = text.strip().lower()
    switch = _SWITCHES.get(word)
    if switch is not None:
        return switch
    found = _NUMBER.fullmatch(word.replace("_", "").replace(",", ""))
    if found is None or ("." in found["number"] and not found["unit"]):
        raise UsageError(_refusal(text))
    tokens = int(float(found["number"]) * _UNITS[found["unit"]])
    if not found["unit"] and 100 <= tokens <= 1_000:
        return tokens * 1_000
    if tokens < 1_000:
        raise UsageError(_refusal(text))
    return tokens


def _refusal(text: str) -> str:
    shown = text if len(text) <= 40 else text[:39] + "…"
    return f"Auto-compact takes on, off, auto, or a number of tokens (at least 1,000) like 120000, 500k or 1M, not {shown!r}."
