"""Another model: a history that would not fit its window is compacted first, by the old model, which still holds it in its cache."""

import msgspec

from agent.compact.compact import compact
from agent.compact.room import can_shrink
from agent.protocol.errors import UsageError
from agent.protocol.events import Emit, ModelChanged, Notice
from agent.protocol.meter import Reading, Tiers, Windows
from agent.session.kept_model import record_model
from agent.session.state import State
from agent.tokens.choose import counting
from agent.tokens.counter import TokenCounter


async def switch_model(state: State, model: str, emit: Emit) -> None:
    """Makes `model` (an id or alias) answer from the next turn on.

    At most one compaction. When it fails, or could not help, the error is raised and the old model stays.
    """
    builder, old = state.builder, state.builder.chosen_model
    builder.choose_model(model)
    switched = False
    try:
        for line in await builder.learn_window():
            await emit(Notice(level="warning", text=line))
        await _fit(state, emit)
        switched = True
    finally:
        if not switched:
            builder.choose_model(old)
        state.rebuild()
    await _begin(state, emit)


async def return_to(state: State, model: str | None, emit: Emit) -> None:
    """Makes the model that answered before answer again; if the history is too large for it by now, the next turn makes room."""
    state.builder.choose_model(model)
    state.rebuild()
    record_model(state.conversation.transcript, state.builder.model_name)
    await _begin(state, emit)


async def _begin(state: State, emit: Emit) -> None:
    conversation, frame = state.conversation, state.parts.frame
    conversation.meter.switch(conversation.messages(), *counting(frame.model))
    await emit(ModelChanged(frame.model))
    await state.show_meter(emit)


async def _fit(state: State, emit: Emit) -> None:
    """Compacts with the old parts when the new window asks for it; raises UsageError when the history cannot be made to fit."""
    windows, tiers, _notices = state.builder.ladder()
    reading = state.conversation.reading(state.parts.frame)
    used = _as_counted_by(state, reading, state.builder.info.tokenizer)
    if used is None or used < tiers.threshold or tiers.threshold >= reading.tiers.threshold:
        return
    deps = state.deps(emit).compact
    state.conversation.meter.configure(*_between(reading, windows, tiers))
    if await can_shrink(deps, tiers.threshold, mid_turn=False):
        await emit(
            Notice(level="info", text=f"{_too_much(state, used, windows)} {deps.frame.model} compacts it first.")
        )
        await compact(deps, trigger="auto")
    elif used >= tiers.blocking:
        raise UsageError(
            f"{_too_much(state, used, windows)} No compaction can make it fit.",
            safe=f"The model is still {deps.frame.model}.",
            do="/clear starts a new conversation.",
        )


def _as_counted_by(state: State, reading: Reading, tokenizer: str) -> int | None:
    """The conversation's tokens as the new model counts them: what is known of them, times how the two tokenizers differ."""
    if reading.used is None or tokenizer == state.parts.frame.tokenizer:
        return reading.used
    messages = state.conversation.messages()
    before, after = state.conversation.meter.counter.messages(messages), TokenCounter(tokenizer).messages(messages)
    return reading.used * after // max(1, before)


def _between(reading: Reading, windows: Windows, tiers: Tiers) -> tuple[Windows, Tiers, bool]:
    """The old model's window for the request, the new one's for what may come out of it."""
    both = msgspec.structs.replace(reading.windows, compaction=windows.compaction, compaction_source=windows.source)
    return both, msgspec.structs.replace(reading.tiers, auto_compact=tiers.threshold), reading.auto


def _too_much(state: State, used: int, windows: Windows) -> str:
    return f"The conversation (~{used:,} tokens) is too large for the window of {state.builder.info.id} ({windows.model:,} tokens)."
