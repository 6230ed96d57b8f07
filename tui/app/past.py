"""The recorded conversation, its newest page first: older ones are read when the person goes back to them."""

from tui.app.engine import Engine
from tui.app.screenwriter import recorded_items
from tui.app.transcript_view import TranscriptView


class Past:
    """What stands in the view before this launch."""

    def __init__(self, view: TranscriptView) -> None:
        self._view = view
        self._engine: Engine | None = None
        self._first = 0

    def draw(self, engine: Engine) -> bool:
        """The last page of `engine`'s conversation in place of everything; whether there is any."""
        self._engine = engine
        page = engine.history_page()
        self._first = page.first
        self._view.clear()
        self._view.add_before(recorded_items(page.events))
        return bool(page.events)

    def earlier(self) -> bool:
        """One page more above what is shown; False when there is none."""
        if self._engine is None or not self._first:
            return False
        page = self._engine.history_page(self._first)
        self._first = page.first
        self._view.add_before(recorded_items(page.events))
        return True
