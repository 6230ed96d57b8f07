"""The `hooks` of a settings file as flat entries (reference 1.1 and 1.2)."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from agent.protocol.hooks import HookEvent
from agent.settings.prune import NUL, holds_nul, some
from agent.settings.schema import Scope

OTHER_TYPES = frozenset({"http", "mcp_tool", "prompt", "agent"})
KNOWN_EVENTS = {event.value: event for event in HookEvent}


class CommandHandler(Struct, frozen=True, kw_only=True, rename={"async_": "async", "if_": "if"}):
    """A command to run: through a shell, or directly when `args` are given; `timeout` in seconds (None = the event's default)."""

    command: Annotated[str, Meta(min_length=1)]
    args: tuple[str, ...] | None = None
    timeout: Annotated[float, Meta(gt=0)] | None = None
    status_message: str | None = msgspec.field(default=None, name="statusMessage")
    if_: str | None = None
    async_: bool = False
    async_rewake: bool = msgspec.field(default=False, name="asyncRewake")
    shell: str | None = None


class HookEntry(Struct, frozen=True):
    """One handler, the event and matcher it waits for, and the file it stands in."""

    event: HookEvent
    matcher: str
    handler: CommandHandler
    source: str
    scope: Scope


class _Reader:
    """Flattens one file's hooks; what does not fit is left out and named once."""

    def __init__(self, source: str, scope: Scope) -> None:
        self._source = source
        self._scope: Scope = scope
        self.entries: list[HookEntry] = []
        self.notices: list[str] = []
        self.other_types: set[str] = set()

    def event(self, event: HookEvent, groups: object) -> None:
        """Read the matcher groups of one event."""
        if not isinstance(groups, list):
            self.notices.append(f"hooks.{event} skipped: not a list")
            return
        for at, group in enumerate(groups):
            self._group(event, f"hooks.{event}[{at}]", group)

    def _group(self, event: HookEvent, where: str, group: object) -> None:
        handlers = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(group, dict) or not isinstance(handlers, list):
            self.notices.append(f"{where} skipped: not an object with a list of hooks")
            return
        matcher = group.get("matcher")
        if matcher is not None and not isinstance(matcher, str):
            self.notices.append(f"{where} skipped: matcher is not a text")
            return
        for at, handler in enumerate(handlers):
            self._handler(event, matcher or "", f"{where}.hooks[{at}]", handler)

    def _handler(self, event: HookEvent, matcher: str, where: str, raw: object) -> None:
        kind = raw.get("type") if isinstance(raw, dict) else None
        if isinstance(kind, str) and kind in OTHER_TYPES:
            self.other_types.add(kind)
            return
        if kind != "command":
            self.notices.append(f'{where} skipped: type is not "command"')
            return
        try:
            handler = msgspec.convert(raw, CommandHandler)
        except msgspec.ValidationError as error:
            self.notices.append(f"{where} skipped: {error}")
            return
        if holds_nul(raw):
            self.notices.append(f"{where} skipped: {NUL}")
            return
        self.entries.append(HookEntry(event, matcher, handler, self._source, self._scope))


def hook_entries(hooks: dict[str, object], source: str, scope: Scope) -> tuple[tuple[HookEntry, ...], tuple[str, ...]]:
    """The command handlers of `hooks`, in order, and one line for each thing left out (events and types once each)."""
    reader = _Reader(source, scope)
    unknown: list[str] = []
    for name, groups in hooks.items():
        if event := KNOWN_EVENTS.get(name):
            reader.event(event, groups)
        else:
            unknown.append(name)
    if unknown:
        reader.notices.append(f"hooks for events that never happen here skipped: {some(unknown)}")
    if reader.other_types:
        reader.notices.append(f"hooks of a type other than command skipped: {', '.join(sorted(reader.other_types))}")
    return tuple(reader.entries), tuple(reader.notices)
