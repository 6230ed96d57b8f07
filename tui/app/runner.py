"""Sends what the person wrote: one stream at a time, the rest queued; nothing that was typed is ever lost."""

import gc
from collections.abc import AsyncIterator, Callable, Coroutine

from agent.protocol.errors import CcagentError
from agent.protocol.events import Event, Failed, Interrupted, PromptAccepted, PromptFinished, QueueChanged
from agent.protocol.results import Failure
from tui.app.engine import Engine, OpenEngine
from tui.view import Face, drive

Spawn = Callable[[Coroutine[None, None, None]], object]
GC_THRESHOLD = (50_000, 20, 100)  # fewer collections: a full one of a large session takes 60 ms and more


class Runner:
    """Follows the engine's streams for `face`.

    `begun` gets each text as it goes out, `give_back` the text that the engine did not take.
    """

    def __init__(
        self,
        face: Face,
        spawn: Spawn,
        begun: Callable[[str], None],
        give_back: Callable[[str], None],
        idle: Callable[[], None],
    ) -> None:
        self.engine: Engine | None = None
        self.running = False
        self._face = face
        self._spawn = spawn
        self._begun = begun
        self._give_back = give_back
        self._idle = idle
        self._early: list[str] = []  # written before the engine was there
        self._sent: str | None = None  # not on record yet
        self._queued: tuple[str, ...] = ()

    async def open(self, open_engine: OpenEngine, opened: Callable[[Engine], None]) -> None:
        """Open and start the engine behind the painted prompt. Raises CcagentError when there can be no session."""
        gc.disable()  # a collection in the middle of the imports would hold the keyboard for a tenth of a second
        try:
            engine = self.engine = await open_engine()
            opened(engine)
            self._spawn(self._listen(engine))
            if self._early:
                self.send(self._early.pop(0))
            await self._start(engine)
        finally:
            gc.enable()
            gc.collect()
            gc.freeze()
            gc.set_threshold(*GC_THRESHOLD)

    def send(self, text: str) -> None:
        """Send `text`, or queue it while something runs. `!` begins a command of the person's own."""
        if self.engine is None:
            self._early.append(text)
        elif self.running:
            self.engine.queue(text)
        else:
            self._run(self.engine, text)

    @property
    def waiting(self) -> bool:
        """Whether prompts are queued."""
        return bool(self._queued or self._early)

    def take_back(self) -> str | None:
        """The prompt queued last, no longer queued."""
        if self.engine is None:
            return self._early.pop() if self._early else None
        text = self.engine.unqueue() if self._queued else None
        if text is not None:
            self._queued = self._queued[:-1]  # else it would seem to have gone out
        return text

    def interrupt(self) -> bool:
        """Stop what runs; False when nothing does."""
        if self.engine is not None and self.running:
            self.engine.interrupt()
            return True
        return False

    def seen(self, event: Event) -> None:
        """Keep track of what is on record and what is queued."""
        match event:
            case PromptAccepted():
                self._sent = None
            case Failed() | Interrupted():
                self._return()
            case PromptFinished():
                self._sent = None
            case QueueChanged(queued=queued):
                if self.running and self._queued and queued == self._queued[1:] and self._sent is None:
                    self._out(self._queued[0])
                self._queued = queued
            case _:
                pass

    def _run(self, engine: Engine, text: str) -> None:
        self.running = True
        if text.startswith("!") and text[1:].strip():
            self._spawn(self._follow(engine, engine.run_shell(text[1:].strip())))
            return
        self._out(text)
        self._spawn(self._follow(engine, engine.prompt(text)))

    def _out(self, text: str) -> None:
        self._sent = text
        self._begun(text)

    async def _follow(self, engine: Engine, stream: AsyncIterator[Event]) -> None:
        try:
            await drive(stream, self._face, engine.answer)
        finally:
            self.running = False
            self._return()
            self._idle()
        if self._early:
            self.send(self._early.pop(0))

    async def _listen(self, engine: Engine) -> None:
        await drive(engine.events(), self._face, engine.answer)

    async def _start(self, engine: Engine) -> None:
        try:
            await engine.start()
        except CcagentError as error:
            self._face.show(Failed(Failure(what=error.what, safe=error.safe, do=error.do)))

    def _return(self) -> None:
        """What was sent but not taken, and what was queued behind it, goes back into the prompt."""
        texts = [] if self._sent is None or self._sent.startswith("/") else [self._sent]
        self._sent = None
        if not self.running and self.engine is not None:
            back: list[str] = []
            while self._queued and (text := self.engine.unqueue()) is not None:
                back.insert(0, text)
                self._queued = self._queued[:-1]
            texts += back
        if texts:
            self._give_back("\n".join(texts))
