"""The auto-compaction knobs, where the environment beats flags."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from agent.models.aliases import table_id
from agent.protocol.source import Sourced
from agent.settings.autocompact_argument import parse_autocompact
from agent.settings.env import flag, plain_digits
from agent.settings.layers import Layer
from agent.settings.merge import find, pick

WINDOW_VARIABLE = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"


class AutoCompactFlag(Struct, frozen=True):
    """`--autocompact`: on or off for this launch (None = not said), and the window in tokens (None = the model's)."""

    enabled: bool | None = None
    window: int | None = None
    says_window: bool = False


def autocompact_flag(text: str) -> AutoCompactFlag:
    """What `--autocompact TEXT` means for this launch; raises UsageError."""
    choice = parse_autocompact(text)
    if choice in ("on", "off"):
        return AutoCompactFlag(enabled=choice == "on")
    return AutoCompactFlag(enabled=True, window=choice if isinstance(choice, int) else None, says_window=True)


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


def resolve_windows(env: Mapping[str, str], told: AutoCompactFlag, layers: Sequence[Layer]) -> dict[str, Sourced[int]]:
    """The windows of single models (`autoCompactWindows`), by the id the table knows.

    Where two layers disagree the higher one counts, whether it speaks of one model or of all; environment and flag speak of all.
    """
    if told.says_window or plain_digits(env.get(WINDOW_VARIABLE, "")):
        return {}
    found: dict[str, Sourced[int]] = {}
    for layer in layers:
        if layer.values.auto_compact_window is not None:
            found.clear()
        found |= {table_id(name): Sourced(n, layer.source) for name, n in layer.values.auto_compact_windows.items()}
    return found
