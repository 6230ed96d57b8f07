"""Trust: what a folder's settings would run or allow is shown and asked for; without a person, or on no, it stays unused."""

from agent.protocol.asks import Trust
from agent.protocol.events import Emit, Notice
from agent.protocol.text import counted
from agent.session.asker import PendingAsks
from agent.session.state import State


async def settle_trust(state: State, emit: Emit, asks: PendingAsks) -> None:
    """Asks once for each content that needs trust; in headless mode each item that is not used is named instead."""
    held = state.builder.settings.held_back
    if not held:
        return
    if not state.builder.interactive:
        for item in held:
            text = f"Not trusted, so not used: {item.kind} {item.text} ({item.source}) · --trust allows it"
            await emit(Notice(level="warning", text=text))
        return
    builder = state.builder
    question = Trust(folder=str(builder.places.project_root), items=held, news=builder.trusting.news(held))
    answer = await asks.put(question, emit)
    if answer.allowed:
        told = state.builder.grant_trust()
        state.rebuild()
        if told:
            await emit(Notice(level="warning", text=told))
        return
    are = "is" if len(held) == 1 else "are"
    text = f"{counted(len(held), 'setting')} of this folder {are} not used, because it is not trusted."
    await emit(Notice(level="info", text=text))
