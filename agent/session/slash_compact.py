"""The command /compact: compact, look before and after, take back, and compact only one side of a message."""

from agent.compact.compact import compact, forecast
from agent.compact.diff import latest_diff
from agent.compact.diff_text import diff_text
from agent.compact.partial_compact import DIRECTIONS, Direction, Part
from agent.compact.report import receipt_line
from agent.compact.undo import redo, undo
from agent.protocol.errors import CompactDeclined
from agent.protocol.events import Emit, HistoryChanged, Notice
from agent.protocol.results import Receipt
from agent.session.command import Command
from agent.session.compact_choices import choice_of, choices_text, is_message_name
from agent.session.state import State

WHOLE = "the whole conversation is active again"
KEPT = "The conversation is as it was."


async def _compact(state: State, argument: str, emit: Emit) -> str:
    match argument:
        case "undo":
            return await _undo(state, emit)
        case "redo":
            return await _redo(state, emit)
        case "diff":
            return await _told(diff_text(latest_diff(state.conversation)), emit)
        case "preview":
            return await _preview(state, emit)
        case "from" | "up-to":
            return await _told(choices_text(state, argument), emit)
        case _:
            return await _compacted(state, argument, emit)


async def _compacted(state: State, argument: str, emit: Emit) -> str:
    """`from M` and `up-to M` name a part; "from now on use tabs" is an instruction."""
    first, _, rest = argument.partition(" ")
    name, _, guidance = rest.strip().partition(" ")
    direction: Direction | None = next((each for each in DIRECTIONS if each == first), None)
    if direction is None or not is_message_name(name):
        return await _done(
            state, await compact(state.deps(emit).compact, trigger="manual", instructions=argument), emit
        )
    part = Part(direction, choice_of(state, direction, name))
    receipt = await compact(state.deps(emit).compact, trigger="manual", instructions=guidance.strip(), part=part)
    return await _done(state, receipt, emit)


async def _preview(state: State, emit: Emit) -> str:
    """With a person: the forecast, then the summary, each with a yes or no. Without: the forecast, and nothing is asked or sent."""
    deps = state.deps(emit).compact
    if not state.builder.interactive:
        return await _told(await forecast(deps), emit)
    try:
        return await _done(state, await compact(deps, trigger="manual", preview=True), emit)
    except CompactDeclined:
        return KEPT


async def _done(state: State, receipt: Receipt, emit: Emit) -> str:
    await state.show_meter(emit)
    return receipt_line(receipt)


async def _undo(state: State, emit: Emit) -> str:
    aside = undo(state.conversation, state.parts.frame)
    await state.moved(HistoryChanged("undo"), emit)
    earlier = any(entry.is_compact_summary for entry in state.conversation.recorded())
    active = "what it had summarised is active again, an earlier one still stands" if earlier else WHOLE
    return await _told(f"The compaction is undone: {active}.{_aside(aside, 'redo')}", emit)


async def _redo(state: State, emit: Emit) -> str:
    aside = redo(state.conversation, state.parts.frame)
    await state.moved(HistoryChanged("undo"), emit)
    return await _told(f"The compaction is in force again.{_aside(aside, 'undo')}", emit)


def _aside(answers: int, back: str) -> str:
    if not answers:
        return ""
    said = "1 answer given since stands" if answers == 1 else f"{answers} answers given since stand"
    return f" {said} aside; /compact {back} returns to {'it' if answers == 1 else 'them'}."


async def _told(text: str, emit: Emit) -> str:
    await emit(Notice(level="output", text=text))
    return text


COMPACT_COMMANDS = (
    Command(
        "compact",
        "/compact [instructions|undo|redo|diff|preview|from M|up-to M]",
        "summarise the conversation, or one side of message M, to free context",
        _compact,
        shown=False,
    ),
)
