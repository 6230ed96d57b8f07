"""Trust: what a folder's settings would run or allow is shown and asked for; without a person, or on no, it stays unused."""

from collections.abc import Iterator, Sequence

from agent.protocol.asks import Trust, TrustItem
from agent.protocol.events import Emit, Notice
from agent.protocol.text import counted
from agent.session.asker import PendingAsks
from agent.session.state import State


async def settle_trust(state: State, emit: Emit, asks: PendingAsks) -> None:
    """Asks once in a session for each content that needs trust; in headless mode each item that is not used is named instead."""
    held = state.builder.settings.held_back
    if not held:
        return
    if not state.builder.interactive:
        for text in unused_lines(held):
            await emit(Notice(level="warning", text=text))
        return
    builder = state.builder
    if not builder.trusting.refused(held) and await _asked(state, held, emit, asks):
        return
    are = "is" if len(held) == 1 else "are"
    text = f"{counted(len(held), 'setting')} of this folder {are} not used, because it is not trusted."
    await emit(Notice(level="info", text=text))


async def _asked(state: State, held: tuple[TrustItem, ...], emit: Emit, asks: PendingAsks) -> bool:
    """Whether the person trusts what is held back; then it is in force."""
    builder = state.builder
    question = Trust(folder=str(builder.places.project_root), items=held, news=builder.trusting.news(held))
    answer = await asks.put(question, emit)
    if not answer.allowed:
        builder.trusting.refuse(held)
        return False
    told = builder.grant_trust()
    state.rebuild()
    if told:
        await emit(Notice(level="warning", text=told))
    return True


def unused_lines(held: Sequence[TrustItem]) -> Iterator[str]:
    """One line for each item that is not used because it is not trusted."""
    for item in held:
        yield f"Not trusted, so not used: {item.kind} {item.text} ({item.source}) · --trust allows it"
