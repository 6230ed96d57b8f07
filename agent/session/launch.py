"""What the command line asked for."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from agent.loop.deps import Limits
from agent.settings.flags import Flags


class Launch(Struct, frozen=True, kw_only=True):
    """What the command line asked for, as far as the engine cares."""

    env: Mapping[str, str]
    flags: Flags
    version: str
    interactive: bool
    continue_: bool
    resume: str | None
    fork: bool
    session_id: str | None
    offline: bool
    limits: Limits
    system_prompt: str | None
    append_system_prompt: str | None
    trust: bool
    on_close: Callable[[], None] | None
