"""What a slash command is."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec import Struct

from agent.protocol.events import Emit
from agent.session.state import State

Action: TypeAlias = Callable[[State, str, Emit], Awaitable[str]]


class Command(Struct, frozen=True):
    """A slash command: its action gets the session's state and the argument text and returns Markdown for the person.

    `shown` is False when events already tell the person what the text says. An action raises CcagentError when it did not do its work.
    """

    name: str
    usage: str
    help: str
    action: Action
    shown: bool = True
    aliases: tuple[str, ...] = ()
