"""The auto-compaction knobs, where the environment beats flags."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from agent.protocol.errors import UsageError
from agent.protocol.source import Sourced
from agent.settings.env import flag, plain_digits
from agent.settings.layers import Layer
from agent.settings.merge import find, pick

WINDOW_VARIABLE = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
_SPELLING = re.compile(r"(\d{1,9})([km]?)", re.IGNORECASE)


class AutoCompactFlag(Struct, frozen=True):
    """`--autocompact`: on or off for this launch (None = not said), and the window in tokens (None = the model's)."""

    enabled: bool | None = None
    window: int | None = None
    says_window: bool = False


def parse_autocompact(text: str) -> AutoCompactFlag:
    """`auto`, `on`, `off`, or tokens as `120000`, `500k`, `1M`; a bare 100-1000 means thousands (reference 2.5). UsageError otherwise."""
    word = text.strip().lower()
    if word in ("on", "off"):
        return AutoCompactFlag(enabled=word == "on")
    if word == "auto":
        return AutoCompactFlag(enabled=True, says_window=True)
    found = _SPELLING.fullmatch(word) if word.isascii() else None
    if found is None or int(found[1]) == 0:
        raise UsageError(
            f"Cannot read {text!r} as an auto-compact window.", do="Use auto, off, or tokens: 120000, 500k, 1M."
        )
    amount, unit = int(found[1]), found[2]
    bare_thousands = not unit and 100 <= amount <= 1000
    factor = 1_000_000 if unit == "m" else 1_000 if unit == "k" or bare_thousands else 1
    return AutoCompactFlag(enabled=True, window=amount * factor, says_window=True)


def resolve_enabled(env: Mapping[str, str], told: AutoCompactFlag, layers: Sequence[Layer]) -> Sourced[bool]:
    """Whether auto-compact runs; DISABLE_COMPACT and DISABLE_AUTO_COMPACT only ever turn it off."""
    if flag(env, "DISABLE_COMPACT") or flag(env, "DISABLE_AUTO_COMPACT"):
        return Sourced(False, "environment")
    if told.enabled is not None:
        return Sourced(told.enabled, "flag")
    return pick(layers, lambda values: values.auto_compact_enabled, True)


def resolve_window(
    env: Mapping[str, str], told: AutoCompactFlag, layers: Sequence[Layer], notices: list[str]
) -> Sourced[int | None]:
    """The window a person wants filled, in tokens: environment > flag > settings > experiment > None."""
    if text := env.get(WINDOW_VARIABLE, "").strip():
        if tokens := plain_digits(text):
            return Sourced(tokens, "environment")
        notices.append(f"{WINDOW_VARIABLE}={text[:40]} ignored: not a plain number of tokens")
    if told.says_window:
        return Sourced(told.window, "flag")
    if said := find(layers, lambda values: values.auto_compact_window):
        return Sourced(said.value, said.source)
    if tried := find(layers, lambda values: values.experiments.auto_compact_window):
        return Sourced(tried.value, "experiment")
    return Sourced(None, "default")
