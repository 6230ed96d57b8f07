"""The recorded conversation, its newest page first: older ones are read when the person goes back to them."""

from tui.app.engine import Engine
from tui.app.screenwriter import recorded_items
from tui.app.transcript_view import TranscriptView
from tui.app.welcome import WelcomeItem


class Past:
    """What stands in the view before this launch."""

    def __init__(self, view: TranscriptView, version: str) -> None:
        self._view = view
        self._version = version
        self._welcome: WelcomeItem | None = None
        self._engine: Engine | None = None
        self._first = 0

    def draw(self, engine: Engine) -> bool:
        """The last page of `engine`'s conversation in place of everything, a welcome when there is none; whether there is any."""
        self._engine = engine
        page = engine.history_page()
        self._first = page.first
        self._view.clear()
        self._view.add_before(recorded_items(page.events))
        if not page.events:
            self._welcome = WelcomeItem(self._version, engine.status())
            self._view.add(self._welcome)
        return bool(page.events)

    def begin(self) -> None:
        """The conversation is no longer empty."""
        if self._welcome is not None:
            self._view.discard(self._welcome)
            self._welcome = None

    def earlier(self) -> bool:
        """One page more above what is shown; False when there is none."""
        if self._engine is None or not self._first:
            return False
        page = self._engine.history_page(self._first)
        self._first = page.first
        self._view.add_before(recorded_items(page.events))
        return True
