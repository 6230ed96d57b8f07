"""Commands about the size of the context: /compact, /autocompact, /cost."""

from agent.compact.compact import compact
from agent.compact.report import receipt_line
from agent.compact.undo import redo, undo
from agent.protocol.errors import UsageError
from agent.protocol.events import Emit, HistoryChanged
from agent.session.command import Command
from agent.session.state import State
from agent.settings.autocompact_argument import parse_autocompact

LATER = ("diff", "preview")


async def _compact(state: State, argument: str, emit: Emit) -> str:
    if argument == "undo":
        return await _undo(state, emit)
    if argument == "redo":
        return await _redo(state, emit)
    if argument in LATER:
        raise UsageError(
            f"/compact {argument} is not there yet.", do="/compact [instructions], /compact undo and redo are."
        )
    receipt = await compact(state.deps(emit).compact, trigger="manual", instructions=argument)
    await state.show_meter(emit)
    return receipt_line(receipt)


async def _undo(state: State, emit: Emit) -> str:
    aside = undo(state.conversation, state.parts.frame)
    await emit(HistoryChanged("undo"))
    await state.show_meter(emit)
    return f"The compaction is undone: the whole conversation is active again.{_aside(aside, 'redo')}"


async def _redo(state: State, emit: Emit) -> str:
    aside = redo(state.conversation, state.parts.frame)
    await emit(HistoryChanged("undo"))
    await state.show_meter(emit)
    return f"The compaction is in force again.{_aside(aside, 'undo')}"


def _aside(answers: int, back: str) -> str:
    if not answers:
        return ""
    return f" {answers} answer{'s' if answers > 1 else ''} of the other branch stand aside; /compact {back} returns to them."


async def _autocompact(state: State, argument: str, emit: Emit) -> str:
    if argument:
        choice = parse_autocompact(argument)
        said = state.builder.choose_autocompact(choice)
        state.rebuild()
        await state.show_meter(emit)
    else:
        said = ""
    return f"{said} {_autocompact_now(state)}".strip()


def _autocompact_now(state: State) -> str:
    reading = state.conversation.reading(state.parts.frame)
    if reading.tiers.auto_compact is None:
        return f"Auto-compact is off ({state.builder.auto_compact_source}). Prompts are held at {reading.tiers.blocking:,} tokens."
    return (
        f"Auto-compact is on: auto-compact at {reading.tiers.auto_compact:,} of {reading.windows.compaction:,} tokens "
        f"(window from {reading.windows.compaction_source.value})."
    )


async def _cost(state: State, _argument: str, _emit: Emit) -> str:
    totals = state.totals
    usage = totals.usage
    share = 100 * usage.cache_read / usage.prompt if usage.prompt else 0.0
    return "\n".join(
        [
            f"Total cost: ${totals.cost:.4f}",
            f"Model: {state.parts.frame.model} · {totals.turns} turns · API time {totals.api_ms / 1000:.1f} s",
            f"Tokens: {usage.input:,} input · {usage.output:,} output · {usage.cache_read:,} cache read · "
            f"{usage.cache_creation:,} cache write ({share:.0f}% of the prompt read from the cache)",
            f"Compactions: {totals.compactions}",
        ]
    )


CONTEXT_COMMANDS = (
    Command(
        "compact",
        "/compact [instructions|undo|redo]",
        "summarise the conversation to free context",
        _compact,
        shown=False,
    ),
    Command(
        "autocompact", "/autocompact [on|off|auto|N]", "when the conversation is compacted by itself", _autocompact
    ),
    Command("cost", "/cost", "tokens and money of this session", _cost, aliases=("usage",)),
)
