"""The panel that asks: what would happen, and the answers by number, letter or arrow."""

import asyncio
import time
from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from agent.protocol.asks import Answer, Ask
from tui.app.choice_list import ChoiceList, Option
from tui.app.rewrite_box import RewriteBox
from tui.app.rows_widget import RowsView, RowsWidget
from tui.app.screen_room import AROUND, AROUND_SHORT, TALL
from tui.app.stray_text import StrayText
from tui.render.lines import Line, line
from tui.render.questions import NO, Reply, question_rows, question_title, replies
from tui.render.theme import Theme
from tui.render.wrap import wrap_text

SHARE = 0.7  # of a tall screen, at most
REWRITE_FRAME = 5  # rows of the frame, the hint and the margins of the box while a text is rewritten
FRAME = 5  # rows of the panel's frame, margins and hint
GRACE = 0.6  # seconds without a keystroke before the panel takes the keyboard


class QuestionPanel(Vertical, can_focus=True):
    """Hidden until `ask`; it waits for a pause in typing, so that no key meant for the prompt answers a question."""

    def __init__(self, theme: Theme, last_typed: Callable[[], float], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._theme = theme
        self._last_typed = last_typed
        self._words = ""
        self._stray = StrayText()
        self._replies: tuple[Reply, ...] = ()
        self._answer: asyncio.Future[Answer] | None = None
        self._turn = asyncio.Lock()
        self._title = RowsWidget(id="question")
        self._body = RowsView(id="question-body")
        self._choices = ChoiceList(theme, 4, id="answers")
        self._rewrite = RewriteBox(id="rewrite")
        self._rewriting: Reply | None = None
        self._hint = RowsWidget(self._keys, id="question-hint")

    def compose(self) -> ComposeResult:
        """Title, body, answers, a box to rewrite a text in, keys."""
        yield from (self._title, self._body, self._choices, self._rewrite, self._hint)

    @property
    def is_open(self) -> bool:
        """Whether a question waits."""
        return self._answer is not None

    async def ask(self, question: Ask) -> Answer:
        """Show `question` until it is answered, or the caller is cancelled."""
        async with self._turn:
            self._answer = asyncio.get_running_loop().create_future()
            try:
                self._show(question)
                await self._pause_in_typing()
                self.focus()
                return await self._answer
            finally:
                self._answer = None
                self._stop_rewriting()
                self.remove_class("open")

    def fit(self, height: int) -> None:
        """Leave the body as many rows as keep title and answers in view on a screen of `height` rows."""
        tall = min(int(height * SHARE), height - AROUND) - FRAME
        room = tall if height >= TALL else height - AROUND_SHORT
        title = len(wrap_text(self._words, self._theme.text, max(8, self.app.size.width - 4)))
        self._body.styles.max_height = max(1, room - title - len(self._replies))
        beside = REWRITE_FRAME if height >= TALL else 1  # on a short screen only the hint
        self._choices.limit(height - title - 2)  # beside a row of what is asked, and one of the transcript
        self._rewrite.styles.max_height = max(1, min(int(height * SHARE), height - AROUND_SHORT) - beside - title)

    def refuse(self) -> None:
        """Answer no; while a text is rewritten, go back to the answers."""
        if self._rewriting is None:
            self._settle(NO)
        else:
            self._stop_rewriting()
            self.focus()

    def on_text_area_changed(self, message: RewriteBox.Changed) -> None:
        """Nobody else's business: it is not the prompt that changed."""
        message.stop()

    def on_rewrite_box_given(self, message: RewriteBox.Given) -> None:
        """The answer, with the text that belongs to it."""
        message.stop()
        if self._rewriting is not None:
            self._settle(self._rewriting.given(message.text))

    def on_paste(self, event: events.Paste) -> None:
        """A paste is never an answer."""
        if self._rewriting is None:
            event.stop()
            self._stray.pasted()
            self._hint.show(self._keys)

    async def _on_key(self, event: events.Key) -> None:
        if self._rewriting is not None:
            return
        letters = {reply.letter: reply for reply in self._replies}
        numbers = {str(number): reply for number, reply in enumerate(self._replies, 1)}
        chosen = (letters | numbers).get(event.key)
        stray = self._stray.takes(event, answers=chosen is not None)
        self._hint.show(self._keys)
        if stray:
            event.prevent_default().stop()
            return
        if chosen is not None:
            event.prevent_default().stop()
            self._choose(chosen)
            return
        steps = {"up": -1, "down": 1, "shift+tab": -1, "tab": 1}
        if event.key in steps:
            self._choices.move(steps[event.key])
        elif event.key == "enter":
            self._choose(self._replies[self._choices.index])
        elif event.key in ("pageup", "pagedown", "home", "end"):
            self._scroll(event.key)
        else:
            return
        event.prevent_default().stop()

    def _scroll(self, key: str) -> None:
        body = self._body
        moves: dict[str, Callable[..., None]] = {
            "pageup": body.scroll_page_up,
            "pagedown": body.scroll_page_down,
            "home": body.scroll_home,
            "end": body.scroll_end,
        }
        moves[key](animate=False)

    def _show(self, question: Ask) -> None:
        self._words = title = question_title(question)
        self._replies = replies(question)
        self._title.show(lambda width: wrap_text(title, self._theme.accent + self._theme.strong, width))
        self._body.show(lambda width: question_rows(question, width, self._theme))
        self._choices.offer([Option(f"{number}. {reply.words}") for number, reply in enumerate(self._replies, 1)])
        self._stray.begin()
        self._hint.show(self._keys)
        self.fit(self.app.size.height)
        self.add_class("open")

    def _choose(self, reply: Reply) -> None:
        if reply.rewrite is None:
            self._settle(reply.answer)
            return
        self._rewriting = reply
        self.add_class("rewriting")
        self._hint.show(self._keys)
        self._rewrite.begin(reply.rewrite)

    def _stop_rewriting(self) -> None:
        self._rewriting = None
        self.remove_class("rewriting")
        self._hint.show(self._keys)

    def _keys(self, _width: int) -> list[Line]:
        if self._rewriting is not None:
            return [line((f"Ctrl+S done · Esc back · {self._rewriting.words}", self._theme.dim))]
        letters = "/".join(reply.letter for reply in self._replies)
        keys = f"1-{len(self._replies)} or {letters} · ↑↓ Enter · PgUp/PgDn scroll · Esc = no"
        ignored = "Typed text is no answer · " if self._stray.waits_for_enter else ""
        return [line((ignored, self._theme.warn), (keys, self._theme.dim))]

    async def _pause_in_typing(self) -> None:
        waited = time.monotonic() - self._last_typed()
        if waited < GRACE:
            await asyncio.sleep(GRACE - waited)
            await self._pause_in_typing()

    def _settle(self, answer: Answer) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(answer)
