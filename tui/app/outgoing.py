"""What the person sent and is not on record yet: it stands in the transcript at once, however long the engine takes to begin."""

from tui.app.items import UserItem
from tui.app.transcript_view import TranscriptView


class Outgoing:
    """One text at a time; a command stays where it stands, because it never comes on record."""

    def __init__(self, view: TranscriptView) -> None:
        self._view = view
        self._item: UserItem | None = None
        self._is_command = False

    def show(self, text: str) -> None:
        """It goes out."""
        self._item, self._is_command = UserItem(text, quiet=True), text.startswith("/")
        self._view.add(self._item)
        self._view.follow()

    def recorded(self) -> None:
        """It stands in the transcript as a prompt now."""
        if self._item is not None:
            self._view.discard(self._item)
            self._item = None

    def returned(self) -> None:
        """The engine did not take it; the prompt box has it again."""
        if not self._is_command:
            self.recorded()
