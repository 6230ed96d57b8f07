"""Commands about conversations: /clear, /resume."""

from agent.protocol.events import Emit
from agent.session.command import Command
from agent.session.state import State
from agent.transcript.catalog import SessionInfo, list_sessions

LISTED = 20


async def _clear(state: State, _argument: str, emit: Emit) -> str:
    old = state.conversation.transcript.session_id
    await state.start_over(emit)
    return f"New conversation. The old one is kept: /resume {old}"


async def _resume(state: State, argument: str, emit: Emit) -> str:
    if argument:
        await state.resume(argument, emit)
        return f"Resumed {argument}."
    sessions = list_sessions(state.builder.places.sessions_dir)
    if not sessions:
        return "There are no earlier conversations in this folder."
    return "\n".join(["Earlier conversations (`/resume ID`):", "", *(_row(info) for info in sessions[:LISTED])])


def _row(info: SessionInfo) -> str:
    when = info.mtime.astimezone().strftime("%Y-%m-%d %H:%M")
    return f"- `{info.id}` {when} {info.title or info.first_prompt or '(no prompt)'}"


HISTORY_COMMANDS = (
    Command("clear", "/clear", "start a new conversation; the old one is kept", _clear, aliases=("new", "reset")),
    Command("resume", "/resume [ID]", "list earlier conversations, or go on with one", _resume, aliases=("continue",)),
)
