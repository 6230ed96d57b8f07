"""Live reload: settings that changed on disk are in force from the next prompt on, and a line says what changed."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import asdict

from agent.protocol.errors import CcagentError
from agent.protocol.events import Emit, ModeChanged, Notice
from agent.session.asker import PendingAsks
from agent.session.setting_rows import setting_name
from agent.session.state import State
from agent.session.trust_question import settle_trust
from agent.settings.settings import Settings

# What is read once, at the start (reference 2.1), or is only where the others came from.
_AT_START = (
    "model",
    "effort",
    "api_key_helper",
    "files",
    "broken",
    "notices",
    "environment",
    "env_sources",
    "held_back",
    "context_window_flag",
)


async def reload_settings(state: State, emit: Emit, asks: PendingAsks) -> None:
    """Before a prompt: looks whether a settings file or a project's hook script has changed, and takes over what it says now."""
    builder = state.builder
    files = builder.changed_files()
    if not files:
        return
    old, mode = builder.settings, state.parts.authority.mode
    try:
        builder.reload()
    except CcagentError as error:
        await emit(Notice(level="warning", text=f"{error.line} The settings stay as they were."))
        return
    state.rebuild()
    if builder.settings.held_back != old.held_back:
        await settle_trust(state, emit, asks)
    for text in builder.notices():
        if text not in old.notices:
            await emit(Notice(level="warning", text=text))
    if changed := changes(old, builder.settings):
        await emit(Notice(level="info", text=f"Settings changed ({_named(files)}): {', '.join(changed)}."))
    if state.parts.authority.mode is not mode:
        await emit(ModeChanged(state.parts.authority.mode.value))


def changes(old: Settings, new: Settings) -> tuple[str, ...]:
    """What is in force and was not before, or the reverse, in the words of /settings."""
    before, now = asdict(old), asdict(new)
    names = (name for name in now if name not in _AT_START and before[name] != now[name])
    return tuple(_words(name, before[name], now[name]) for name in names)


def _words(name: str, old: object, new: object) -> str:
    plain = setting_name(name)
    if not isinstance(old, tuple) or not isinstance(new, tuple):
        return plain
    added, gone = len([item for item in new if item not in old]), len([item for item in old if item not in new])
    counts = [f"{count} {word}" for count, word in ((added, "new"), (gone, "gone")) if count]
    return f"{plain} ({', '.join(counts)})" if counts else plain


def _named(files: Sequence[Path]) -> str:
    return ", ".join(str(file) for file in files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
