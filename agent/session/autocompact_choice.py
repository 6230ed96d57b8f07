"""What /autocompact changes, and who may overrule it."""

from typing import TypeVar

from agent.models.aliases import table_id
from agent.protocol.source import Sourced
from agent.settings.auto_compact import WINDOW_VARIABLE
from agent.settings.autocompact_argument import AutoCompactChoice
from agent.settings.env import flag
from agent.settings.paths import Places
from agent.settings.settings import Settings
from agent.settings.write import set_user_setting

T = TypeVar("T")
UNCHANGED = "nothing was changed"


def change_autocompact(choice: AutoCompactChoice, places: Places, settings: Settings) -> str:
    """Writes `choice` into the person's settings and says so; the environment always wins and is then named instead."""
    env = settings.environment
    if choice in ("on", "off"):
        for name in ("DISABLE_COMPACT", "DISABLE_AUTO_COMPACT"):
            if flag(env, name):
                return f"{name} is set in the environment and wins; {UNCHANGED}."
        set_user_setting(places, "autoCompactEnabled", choice == "on")
        return ""  # what is in force is said anyway
    if settings.auto_compact_window.source == "environment":
        return f"{WINDOW_VARIABLE} is set in the environment and wins; {UNCHANGED}."
    if isinstance(choice, int):
        set_user_setting(places, "autoCompactWindow", choice)
        return f"Auto-compact window set to {choice:,} tokens."
    set_user_setting(places, "autoCompactWindow", None)
    return "The auto-compact window follows the model again."


def overruled(choice: AutoCompactChoice, settings: Settings, model: str) -> str:
    """Which scope wins over what was just written, in words; empty when the person's choice is in force (reference 2.5)."""
    if choice in ("on", "off"):
        return _unless(choice == "on", settings.auto_compact_enabled, "")
    wanted = choice if isinstance(choice, int) else None
    single = settings.auto_compact_windows.get(table_id(model))
    if single is not None:
        return _unless(wanted, Sourced[int | None](single.value, single.source), "autoCompactWindows in ")
    return _unless(wanted, settings.auto_compact_window, "")


def _unless(wanted: T, found: Sourced[T], where: str) -> str:
    if found.value == wanted or found.source == "environment":
        return ""
    return f"It is saved, but {where}{found.source} says {_shown(found.value)} and wins."


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "nothing" if value is None else f"{value:,}"
