"""What happens once before the first prompt, and once at the end."""

from agent.protocol.events import Emit, Notice
from agent.protocol.hooks import HookEvent
from agent.session.asker import PendingAsks
from agent.session.context_report import floor_line
from agent.session.state import State
from agent.session.trust_question import settle_trust


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
        if state.builder.chosen_model and state.builder.interactive:
            text = f"Going on with {state.builder.info.id}, the model of this session."
            await emit(Notice(level="info", text=text))
        await settle_trust(state, emit, asks)
        memory = state.builder.opening.memory()
        for text in (*state.builder.notices(), *memory.notices, *state.conversation.transcript.notices):
            await emit(Notice(level="warning", text=text))
        await state.run_session_hook(HookEvent.SESSION_START, self._source, emit)
        for text in await state.builder.learn_window():
            await emit(Notice(level="warning", text=text))
        state.rebuild()
        if state.builder.interactive:
            await state.builder.opening.look()
        if floor := floor_line(state):
            await emit(Notice(level="warning", text=floor))
        await state.take_up_costs()
        await state.show_meter(emit)

    async def end(self, state: State, emit: Emit) -> None:
        """SessionEnd hooks, then everything that was open is closed."""
        try:
            if self._began:
                reason = "prompt_input_exit" if state.builder.interactive else "other"
                await state.run_session_hook(HookEvent.SESSION_END, reason, emit)
        finally:
            await state.close()
