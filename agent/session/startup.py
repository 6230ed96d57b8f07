"""What happens once before the first prompt, and once at the end."""

from agent.protocol.asks import Trust
from agent.protocol.events import Emit, Notice
from agent.protocol.hooks import HookEvent
from agent.session.asker import PendingAsks
from agent.session.context_report import floor_line
from agent.session.state import State


class Startup:
    """`source` is how the session began (startup, resume, fork), `notices` what opening it had to say."""

    def __init__(self, source: str, notices: tuple[str, ...]) -> None:
        self._source = source
        self._notices = notices
        self._began = False

    async def run(self, state: State, emit: Emit, asks: PendingAsks) -> None:
        """Notices, the trust question, SessionStart hooks, and the model's window, in this order."""
        self._began = True
        for text in self._notices:
            await emit(Notice(level="info", text=text))
        await self._settle_trust(state, emit, asks)
        memory = state.builder.opening.memory()
        for text in (*state.builder.notices(), *memory.notices, *state.conversation.transcript.notices):
            await emit(Notice(level="warning", text=text))
        await state.run_session_hook(HookEvent.SESSION_START, self._source, emit)
        for text in await state.builder.learn_window():
            await emit(Notice(level="warning", text=text))
        state.rebuild()
        if floor := floor_line(state):
            await emit(Notice(level="warning", text=floor))
        await state.show_meter(emit)

    async def end(self, state: State) -> None:
        """SessionEnd hooks, then everything that was open is closed."""
        try:
            if self._began:
                await state.run_session_hook(HookEvent.SESSION_END, "other", _drop)
        finally:
            await state.close()

    async def _settle_trust(self, state: State, emit: Emit, asks: PendingAsks) -> None:
        """In headless mode the project's settings stay held back, each named; else the person decides once per content."""
        held = state.builder.settings.held_back
        if not held:
            return
        folder = str(state.builder.places.project_root)
        if not state.builder.interactive:
            for item in held:
                text = f"Not trusted, so not used: {item.kind} {item.text} ({item.source}) · --trust allows it"
                await emit(Notice(level="warning", text=text))
            return
        answer = await asks.put(Trust(folder=folder, items=held), emit)
        if answer.allowed:
            state.builder.grant_trust()
            state.rebuild()
        else:
            await emit(
                Notice(
                    level="info", text=f"{len(held)} settings of this folder are not used, because it is not trusted."
                )
            )


async def _drop(_event: object) -> None:
    """Nobody listens any more."""
