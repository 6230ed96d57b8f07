"""What /autocompact changes, and who may overrule it."""

from agent.settings.auto_compact import WINDOW_VARIABLE
from agent.settings.autocompact_argument import AutoCompactChoice
from agent.settings.env import flag
from agent.settings.paths import Places
from agent.settings.settings import Settings
from agent.settings.write import set_user_setting


def change_autocompact(choice: AutoCompactChoice, places: Places, settings: Settings) -> str:
    """Writes `choice` into the person's settings and says so; the environment always wins and is then named instead."""
    env = settings.environment
    if choice in ("on", "off"):
        for name in ("DISABLE_COMPACT", "DISABLE_AUTO_COMPACT"):
            if flag(env, name):
                return f"{name} is set in the environment and wins; nothing was changed."
        set_user_setting(places, "autoCompactEnabled", choice == "on")
        return f"Auto-compact is now {choice}."
    if env.get(WINDOW_VARIABLE, "").strip():
        return f"{WINDOW_VARIABLE} is set in the environment and wins; nothing was changed."
    if isinstance(choice, int):
        set_user_setting(places, "autoCompactWindow", choice)
        return f"Auto-compact window set to {choice:,} tokens."
    set_user_setting(places, "autoCompactWindow", None)
    return "The auto-compact window follows the model again."
