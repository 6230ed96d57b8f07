"""The app: the screen joined to an engine."""

import time
from collections.abc import Callable, Coroutine, Sequence

from textual import events
from textual.widgets._text_area import TextArea

from agent.protocol.asks import Answer, Ask
from agent.protocol.errors import CcagentError
from agent.protocol.events import (
    EditorRequested,
    Event,
    ExitRequested,
    HistoryChanged,
    MeterChanged,
    PromptAccepted,
)
from tui.app import picking
from tui.app.chrome import WORKING
from tui.app.editing import edit
from tui.app.engine import Completion, Engine, OpenEngine
from tui.app.outgoing import Outgoing
from tui.app.prompt_box import PromptBox
from tui.app.prompt_history import PromptHistory
from tui.app.runner import Runner
from tui.app.screenwriter import Screenwriter
from tui.app.stop_keys import StopKeys
from tui.app.transcript_view import TranscriptView

MODES = ("default", "acceptEdits", "plan")
LEAVE_WORDS = ("/exit", "/quit")


class CcagentApp(StopKeys):
    """Shows what the engine says, asks what it asks, sends what the person writes."""

    def __init__(
        self,
        open_engine: OpenEngine,
        history: PromptHistory,
        first_prompt: str | None = None,
        *,
        version: str,
        tmux: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(history, version=version, tmux=tmux, clock=clock)
        self.failure: CcagentError | None = None
        self.session_id = ""
        self.spoken = False  # whether there is something to come back to
        self._open_engine = open_engine
        self._first_prompt = first_prompt
        self._outgoing = Outgoing(self.view)
        self._leaving = False
        self._writer = Screenwriter(self.view)
        self._runner = Runner(self, self._spawn, self._begun, self._returned, self._rest)

    def on_mount(self) -> None:
        """Everything that costs time comes after the first paint."""
        self.call_after_refresh(lambda: self._spawn(self._open()))

    # ---- the face

    def show(self, event: Event) -> None:
        """Draw `event`."""
        self._runner.seen(event)
        self._writer.write(event)
        self.chrome.show(event, running=self._runner.running)
        match event:
            case PromptAccepted():
                self.spoken = True
                self._outgoing.recorded()
                self.view.follow()
            case MeterChanged():
                self.query_one("#prompt-row").set_class(self.chrome.blocking, "held")
            case HistoryChanged(prompt=prompt):
                self._draw_history()
                if prompt:
                    self._give_back(prompt)
            case ExitRequested():
                self.action_leave()
            case EditorRequested(path=path):
                self.call_later(edit, self, path, self.show)
            case _:
                pass

    async def ask(self, ask_id: str, question: Ask) -> Answer:
        """The person's answer."""
        self.completer.close()
        try:
            return await self.panel.ask(question)
        finally:
            if self.is_running:
                self.prompt.focus()

    # ---- the engine

    async def _open(self) -> None:
        if self._first_prompt and self._first_prompt not in picking.TITLES:
            self._runner.send(self._first_prompt)
        try:
            await self._runner.open(self._open_engine, self._opened)
        except CcagentError as error:
            self.failure = error
            self.exit(1, return_code=1)

    def _opened(self, engine: Engine) -> None:
        self.chrome.engine = engine
        self._draw_history()
        if self._first_prompt in picking.TITLES:
            self._send_or_pick(self._first_prompt)

    def _draw_history(self) -> None:
        engine = self._runner.engine
        if engine is None:
            return
        self.session_id = engine.id
        self._writer.close()
        self.spoken = self.past.draw(engine) or self.spoken
        self.chrome.refresh()

    def _rest(self) -> None:
        """A stream ended."""
        if not self.is_running:
            return
        self._writer.close()
        self.chrome.activity.stop()
        self.chrome.refresh()
        if self._runner.engine is not None:
            self.session_id = self._runner.engine.id

    def _spawn(self, work: Coroutine[None, None, None]) -> object:
        return self.run_worker(work, exit_on_error=True)

    def _begun(self, text: str) -> None:
        """`text` goes out."""
        self.past.begin()
        self._outgoing.show(text)

    def _returned(self, text: str) -> None:
        """The engine did not take `text`."""
        if self.is_running:
            self._outgoing.returned()
            self._give_back(text)

    def _give_back(self, text: str) -> None:
        """Text that was not taken stands in the prompt again, before what was typed meanwhile."""
        if not self.is_running:
            return
        typed = self.prompt.pastes.expand(self.prompt.text)
        self.prompt.put(f"{text}\n{typed}" if typed.strip() else text)

    def complete(self, text: str) -> Sequence[Completion]:
        """Ways to go on with `text`, as the engine knows them."""
        return self._runner.engine.complete(text) if self._runner.engine is not None else ()

    def _send_or_pick(self, line: str) -> None:
        """A bare command that needs an argument opens a list of them; what has none is sent as it is."""
        found = () if self._runner.running else picking.choices(line, self.complete)
        if found:
            self._spawn(self._pick(line, found))
        else:
            self._send(line)

    async def _pick(self, line: str, found: Sequence[Completion]) -> None:
        chosen = await picking.pick(self.picker, line, found)
        self.prompt.focus()
        if chosen is not None:
            self._send(chosen)

    def _send(self, text: str) -> None:
        if not self._runner.running:
            self.chrome.activity.start(WORKING)
        self._runner.send(text)

    # ---- messages of the widgets

    def on_prompt_box_sent(self, message: PromptBox.Sent) -> None:
        """A prompt, a command, or the wish to leave."""
        self.chrome.activity.say("")
        text = message.text.strip()
        if text in LEAVE_WORDS:
            self.action_leave()
        elif text in picking.TITLES:
            self._send_or_pick(text)
        elif text.startswith("!") and self._runner.running:
            self._give_back(text)
            self.chrome.activity.say("A command of your own has to wait until this has ended")
        else:
            self._send(message.text)

    def on_prompt_box_left_top(self) -> None:
        """Up in an empty prompt: the queue first, then the history."""
        text = self._runner.take_back()
        if text is not None:
            self.prompt.put(text)
        else:
            self.prompt.walk_back()

    def on_text_area_changed(self, message: TextArea.Changed) -> None:
        """Look for completions of what was typed (not of what we put there)."""
        if self.prompt.text == self.prompt.last_put:
            self.completer.close()
        else:
            self.prompt.last_put = None
            self.completer.look(self.prompt.before_cursor)

    def on_transcript_view_following_changed(self, message: TranscriptView.FollowingChanged) -> None:
        """Say that there is more below."""
        self.chrome.activity.show_below(not message.following)

    # ---- keys

    def interrupt(self) -> bool:
        """Stop what runs; whether anything did."""
        return self._runner.interrupt()

    def go_back(self) -> None:
        """Choose an earlier prompt."""
        self._send_or_pick("/rewind")

    def action_cycle_mode(self) -> None:
        """Shift+Tab: the next permission mode."""
        engine = self._runner.engine
        if engine is not None:
            mode = engine.status().mode
            engine.set_mode(MODES[(MODES.index(mode) + 1) % len(MODES)] if mode in MODES else MODES[0])
            self.chrome.refresh()

    def action_leave(self, code: int = 0) -> None:
        """Close the session, then the app; what was written and not sent is remembered."""
        if not self._leaving:
            self._leaving = True
            self.prompt.forget()
            self.chrome.activity.start("Closing…", stoppable=False)
            self._spawn(self._leave(code))

    async def _leave(self, code: int) -> None:
        try:
            await self._close_engine()
        finally:
            self.exit(code, return_code=code)

    async def on_unmount(self, _event: events.Unmount) -> None:
        """Whatever ended the app, the session is closed."""
        await self._close_engine()

    async def _close_engine(self) -> None:
        engine, self._runner.engine = self._runner.engine, None
        if engine is not None:
            await engine.close()
