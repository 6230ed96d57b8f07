"""The registry of slash commands, and how a line becomes one."""

from collections.abc import Sequence
from difflib import get_close_matches

from agent.protocol.errors import UsageError
from agent.protocol.events import Emit, Notice
from agent.protocol.markdown import code
from agent.session.command import Command
from agent.session.complete import Named
from agent.session.slash_compact import COMPACT_COMMANDS
from agent.session.slash_context import CONTEXT_COMMANDS
from agent.session.slash_history import HISTORY_COMMANDS
from agent.session.slash_items import ITEM_COMMANDS
from agent.session.slash_memory import MEMORY_COMMANDS
from agent.session.slash_setup import SETUP_COMMANDS
from agent.session.state import State


async def _help(state: State, _argument: str, _emit: Emit) -> str:
    rows = [f"- `{command.usage}`: {command.help}" for command in COMMANDS]
    custom = [f"- {code(command.usage)}: {command.help}" for command in state.custom.commands()]
    own = ["", "From `commands` folders:", "", *custom] if custom else []
    return "\n".join(["Commands:", "", *rows, *own, "", "`!command` runs a shell command; `@path` attaches a file."])


COMMANDS: Sequence[Command] = (
    *COMPACT_COMMANDS,
    *CONTEXT_COMMANDS,
    *ITEM_COMMANDS,
    *HISTORY_COMMANDS,
    *MEMORY_COMMANDS,
    *SETUP_COMMANDS,
    Command("help", "/help", "this list", _help),
)

_BY_NAME = {name: command for command in COMMANDS for name in (command.name, *command.aliases)}

RESERVED = frozenset(_BY_NAME)


def all_commands(state: State) -> tuple[Named, ...]:
    """Ours, then those that people have written."""
    return (*COMMANDS, *state.custom.commands())


def command_names(state: State) -> tuple[str, ...]:
    """The names alone, as they were found last: asked many times a second."""
    return (*(command.name for command in COMMANDS), *(command.name for command in state.custom.latest))


def is_slash(text: str) -> bool:
    """Whether `text` is a command: its first word begins with a slash and has no second one (so /usr/bin is a path)."""
    words = text.split(maxsplit=1)
    return bool(words) and len(words[0]) > 1 and words[0].startswith("/") and "/" not in words[0][1:]


def split_command(line: str) -> tuple[str, str]:
    """The name and the argument text of a command; whatever blank or new line stands between them."""
    name, *rest = line.strip().removeprefix("/").split(maxsplit=1)
    return name, rest[0] if rest else ""


async def run_slash(state: State, line: str, emit: Emit) -> str:
    """Runs the command in `line` and returns its text; raises UsageError when there is no such command."""
    name, argument = split_command(line)
    command = _BY_NAME.get(name.lower())
    if command is None:
        near = get_close_matches(name.lower(), [each.name for each in all_commands(state)], n=1)
        do = f"Did you mean /{near[0]}? /help lists the commands." if near else "/help lists the commands."
        raise UsageError(f"Unknown command: /{name}.", do=do)
    text = await command.action(state, argument, emit)
    if command.shown and text:
        await emit(Notice(level="output", text=text))
    return text
