"""Commands about the setup: /model, /permissions, /plan, /hooks, /settings, /doctor, /exit."""

import asyncio

from agent.permissions.modes import Mode
from agent.protocol.errors import UsageError
from agent.protocol.events import Emit, ExitRequested
from agent.protocol.markdown import code, table
from agent.session.command import Command
from agent.session.doctor import Finding, findings
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


async def _plan(state: State, argument: str, emit: Emit) -> str:
    if argument:
        raise UsageError("/plan takes no words.", do="Type /plan alone, then what is to be planned.")
    await emit(state.set_mode(Mode.PLAN))
    return "Mode: plan. Nothing is edited or run until you leave it: Shift+Tab or `/permissions default`."


async def _hooks(state: State, _argument: str, _emit: Emit) -> str:
    return hook_table(state)


async def _settings(state: State, _argument: str, _emit: Emit) -> str:
    return setting_table(state)


async def _doctor(state: State, _argument: str, _emit: Emit) -> str:
    builder = state.builder

    def look() -> list[Finding]:
        settings, places, offline = builder.settings, builder.places, builder.offline
        return list(findings(settings, places, version=builder.version, online=False, offline=offline))

    found = await asyncio.to_thread(look)
    return table(("", "what", "found"), [(each.state, each.name, code(each.text)) for each in found])


async def _exit(_state: State, _argument: str, emit: Emit) -> str:
    await emit(ExitRequested())
    return ""


SETUP_COMMANDS = (
    Command("model", "/model [ID]", "show or change the model", _model),
    Command("permissions", "/permissions [mode]", "permission mode and rules", _permissions),
    Command("plan", "/plan", "permission mode plan: look and think, change nothing", _plan),
    Command("hooks", "/hooks", "the hooks in force, with their files", _hooks),
    Command("settings", "/settings", "settings and where each value came from", _settings),
    Command("doctor", "/doctor", "what is installed, found, trusted and reachable", _doctor),
    Command("exit", "/exit", "leave", _exit, aliases=("quit",)),
)
