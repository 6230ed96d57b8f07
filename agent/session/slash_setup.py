"""Commands about the setup: /model, /permissions, /hooks, /settings, /exit."""

from agent.permissions.modes import Mode
from agent.protocol.events import Emit, ExitRequested
from agent.session.command import Command
from agent.session.kept_model import record_model
from agent.session.model_switch import switch_model
from agent.session.setup_tables import hook_table, permission_table, setting_table
from agent.session.state import State


async def _model(state: State, argument: str, emit: Emit) -> str:
    if argument:
        await switch_model(state, argument, emit)
        record_model(state.conversation.transcript, argument)
    frame = state.parts.frame
    windows = state.conversation.reading(frame).windows
    return f"Model: {frame.model} · window {windows.model:,} tokens ({windows.source.value})"


async def _permissions(state: State, argument: str, emit: Emit) -> str:
    if argument:
        await emit(state.set_mode(argument))
    modes = ", ".join(mode.value for mode in Mode)
    return f"Mode: {state.parts.authority.mode.value} (modes: {modes})\n\n{permission_table(state)}"


async def _hooks(state: State, _argument: str, _emit: Emit) -> str:
    return hook_table(state)


async def _settings(state: State, _argument: str, _emit: Emit) -> str:
    return setting_table(state)


async def _exit(_state: State, _argument: str, emit: Emit) -> str:
    await emit(ExitRequested())
    return ""


SETUP_COMMANDS = (
    Command("model", "/model [ID]", "show or change the model", _model),
    Command("permissions", "/permissions [mode]", "permission mode and rules", _permissions),
    Command("hooks", "/hooks", "the hooks in force, with their files", _hooks),
    Command("settings", "/settings", "settings and where each value came from", _settings),
    Command("exit", "/exit", "leave", _exit, aliases=("quit",)),
)
