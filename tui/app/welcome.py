"""What stands in an empty conversation: which program this is, where it works, and what there is to try."""

from tui.app.engine import Status
from tui.render.lines import Rows
from tui.render.safe import clean_line
from tui.render.theme import Theme
from tui.render.wrap import wrap_spans

TRY = "Offline, try: read README.md · find TEXT · run git status · /help · --offline=tour"


class WelcomeItem:
    """Name, version, model and folder; offline also what is understood."""

    tight = False

    def __init__(self, version: str, status: Status) -> None:
        self._name = f"ccagent {version}"
        self._where = f" · {clean_line(status.model)} · {clean_line(status.cwd)}"
        self._offline = status.offline

    def estimate(self, _width: int) -> int:
        """One line, or two."""
        return 2 if self._offline else 1

    def rows(self, width: int, theme: Theme) -> Rows:
        """Wrapped: a folder is shown whole."""
        rows = wrap_spans([(self._name, theme.text + theme.strong), (self._where, theme.dim)], width)
        return [*rows, *(wrap_spans([(TRY, theme.dim)], width) if self._offline else [])]
