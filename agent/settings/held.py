"""What a project's settings may not do before the folder is trusted: run code, widen rights, switch guards off."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from agent.files.seen_from import seen_from
from agent.protocol.asks import TrustItem
from agent.settings.hook_entries import HookEntry
from agent.settings.layers import Layer
from agent.settings.schema import FileSettings
from agent.settings.scripts import named_scripts, scripts_digest


def is_held(layer: Layer) -> bool:
    """Whether this layer comes from the project and so needs trust."""
    return layer.scope in ("project", "local")


def held_items(layers: Sequence[Layer], root: Path) -> tuple[TrustItem, ...]:
    """Every item of the project's layers that needs trust, in file order; nothing when there is none."""
    items: list[TrustItem] = []
    for layer in filter(is_held, layers):
        for kind, text, command in _held(layer):
            items.append(TrustItem(kind, text, str(seen_from(Path(layer.source), root)), scripts_digest(command, root)))
    return tuple(items)


def held_scripts(layers: Sequence[Layer], root: Path) -> tuple[Path, ...]:
    """The project's own scripts that its settings name: when one changes, trust is asked for again."""
    commands = [command for layer in filter(is_held, layers) for _kind, _text, command in _held(layer)]
    return named_scripts(commands, root)


def without_held(layer: Layer) -> Layer:
    """A project layer without what needs trust; deny and ask rules and plain knobs stay."""
    permissions = msgspec.structs.replace(
        layer.values.permissions, allow=(), additional_directories=(), default_mode=None
    )
    values = msgspec.structs.replace(
        layer.values, permissions=permissions, env={}, status_line=None, api_key_helper=None, disable_all_hooks=None
    )
    return msgspec.structs.replace(layer, values=values, hooks=())


def _held(layer: Layer) -> list[tuple[str, str, str]]:
    """(kind, text, command it runs) for each item; the text is whole: trust is bound to it."""
    values = layer.values
    items = [("hook", _hook_text(entry), _command(entry)) for entry in layer.hooks]
    items += [("allow", rule, "") for rule in values.permissions.allow]
    items += [("directory", folder, "") for folder in values.permissions.additional_directories]
    items += [("env", f"{name}={value}", value) for name, value in values.env.items()]
    items += _held_scalars(values)
    return items


def _held_scalars(values: FileSettings) -> list[tuple[str, str, str]]:
    items: list[tuple[str, str, str]] = []
    if values.status_line is not None:
        items.append(("statusLine", values.status_line.command, values.status_line.command))
    if values.api_key_helper:
        items.append(("apiKeyHelper", values.api_key_helper, values.api_key_helper))
    if values.permissions.default_mode is not None:
        items.append(("mode", values.permissions.default_mode, ""))
    if values.disable_all_hooks is not None:
        items.append(("disableAllHooks", str(values.disable_all_hooks).lower(), ""))
    return items


def _hook_text(entry: HookEntry) -> str:
    """Event, matcher and handler; the handler as JSON when it has more than a command, so that no field escapes the trust."""
    when = f"{entry.event}({entry.matcher})" if entry.matcher else entry.event.value
    plain = entry.handler == type(entry.handler)(command=entry.handler.command)
    return f"{when}: {entry.handler.command if plain else msgspec.json.encode(entry.handler).decode()}"


def _command(entry: HookEntry) -> str:
    return " ".join((entry.handler.command, *(entry.handler.args or ())))
