"""The environment and the command line as layers, so that they merge like files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from agent.protocol.errors import SettingsError, UsageError
from agent.settings.env import flag
from agent.settings.flags import Flags, split_rules
from agent.settings.json_text import parse_object
from agent.settings.layers import SIZE_LIMIT, Layer, Read, make_layer, repetitions
from agent.settings.paths import Places
from agent.settings.schema import FileSettings, PermissionSettings

Mode = Literal["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"]
MODES: tuple[Mode, ...] = get_args(Mode)


def env_layer(env: Mapping[str, str], places: Places) -> Layer:
    """What the environment says about knobs that files have too."""
    values = FileSettings(
        model=env.get("ANTHROPIC_MODEL", "").strip() or None,
        effort_level=env.get("CLAUDE_CODE_EFFORT_LEVEL", "").strip() or None,
        file_checkpointing_enabled=False if flag(env, "CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING") else None,
    )
    return Layer("environment", "flag", places.cwd, values)


def flag_layer(flags: Flags, places: Places) -> Layer:
    """What the command line says; UsageError for words it cannot mean."""
    permissions = PermissionSettings(
        allow=tuple(rule for text in flags.allowed_tools for rule in split_rules(text)),
        deny=tuple(rule for text in flags.disallowed_tools for rule in split_rules(text)),
        additional_directories=flags.add_dirs,
        default_mode=_mode(flags),
    )
    values = FileSettings(model=flags.model, effort_level=flags.effort, permissions=permissions)
    return Layer("flag", "flag", places.cwd, values)


def settings_flag(text: str | None, places: Places) -> Read:
    """The layer of `--settings FILE|JSON`; SettingsError when it cannot be used, because the person asked for it."""
    if text is None:
        return Read((), ())
    if text.lstrip().startswith("{"):
        data, source = text.encode("utf-8", "replace"), "--settings"
    else:
        data, source = _read(places.cwd / text), text
    layer, lines = make_layer(parse_object(data, source), "--settings", "flag", places.cwd)
    return Read((layer,), (*repetitions(data, source), *lines))


def _mode(flags: Flags) -> Mode | None:
    if flags.skip_permissions:
        return "bypassPermissions"
    if flags.permission_mode is None:
        return None
    for mode in MODES:
        if flags.permission_mode == mode:
            return mode
    raise UsageError(f"Unknown permission mode {flags.permission_mode!r}.", do=f"Use one of {', '.join(MODES)}.")


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise SettingsError(f"--settings {path}: {error.strerror or error}.") from error
    if len(data) > SIZE_LIMIT:
        raise SettingsError(f"--settings {path}: larger than 2 MiB.")
    return data
