"""Commands about the size of the context: /autocompact, /cost."""

from agent.models.aliases import table_id
from agent.protocol.events import Emit
from agent.protocol.meter import Reading, WindowSource
from agent.session.autocompact_choice import UNCHANGED
from agent.session.command import Command
from agent.session.cost_report import cost_report
from agent.session.state import State
from agent.settings.autocompact_argument import parse_autocompact


async def _autocompact(state: State, argument: str, emit: Emit) -> str:
    if argument:
        choice = parse_autocompact(argument)
        said = state.builder.choose_autocompact(choice)
        state.rebuild()
        await state.show_meter(emit)
    else:
        said = ""
    saved = (
        f"Saved in {state.builder.places.user_settings}, for all projects."
        if argument and UNCHANGED not in said
        else ""
    )
    return " ".join(f"{said} {_autocompact_now(state)} {saved}".split())


def _autocompact_now(state: State) -> str:
    reading = state.conversation.reading(state.parts.frame)
    if reading.tiers.auto_compact is None:
        return f"Auto-compact is off ({state.builder.auto_compact_source}). Prompts are held at {reading.tiers.blocking:,} tokens."
    return (
        f"Auto-compact is on: auto-compact at {reading.tiers.auto_compact:,} of {reading.windows.compaction:,} tokens "
        f"(window from {_window_source(state, reading)})."
    )


def _window_source(state: State, reading: Reading) -> str:
    """The scope that decides, and the file where one does."""
    word = reading.windows.compaction_source
    if word is not WindowSource.SETTINGS:
        return word.value
    settings = state.builder.settings
    said = settings.auto_compact_windows.get(table_id(state.parts.frame.model), settings.auto_compact_window)
    return f"{word.value}: {said.source}"


async def _cost(state: State, _argument: str, _emit: Emit) -> str:
    return cost_report(state.totals)


CONTEXT_COMMANDS = (
    Command(
        "autocompact", "/autocompact [on|off|auto|N]", "when the conversation is compacted by itself", _autocompact
    ),
    Command(
        "cost",
        "/cost",
        "tokens and money of this session, also from before it was continued",
        _cost,
        aliases=("usage",),
    ),
)
