"""What moves around the transcript: the activity row, the queue, the footer."""

from collections.abc import Callable
from typing import assert_never

from agent.api import meter_text
from agent.protocol.events import (
    Answered,
    Asked,
    CompactFailed,
    CompactFinished,
    CompactProgress,
    CompactStarted,
    Event,
    HookFinished,
    HookStarted,
    MeterChanged,
    ModeChanged,
    ModelChanged,
    PromptFinished,
    QueueChanged,
    RetryScheduled,
    StatusLineChanged,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from agent.protocol.meter import Level, Reading
from tui.app.activity import Activity
from tui.app.engine import Engine
from tui.app.footer import Facts, Footer
from tui.app.rows_widget import RowsWidget
from tui.render.lines import Line, line
from tui.render.safe import clean_line, clip
from tui.render.theme import Theme

WORKING, COMPACTING, WAITING = "Working…", "Compacting conversation…", "Waiting for your answer…"
MOST_QUEUED = 3  # rows


class Chrome:
    """Follows the events of all streams."""

    def __init__(self, theme: Theme, clock: Callable[[], float]) -> None:
        self.activity = Activity(theme, clock, id="activity")
        self.queued = RowsWidget(id="queued")
        self.footer = Footer(theme, id="footer")
        self.engine: Engine | None = None
        self._theme = theme
        self._reading: Reading | None = None
        self._status_line: tuple[str, ...] = ()

    @property
    def blocking(self) -> bool:
        """Whether the next prompt would be held."""
        return self._reading is not None and self._reading.level is Level.BLOCKING

    def refresh(self) -> None:
        """Ask the engine how it stands."""
        if self.engine is not None:
            self._reading = self.engine.reading()
            self._foot()

    def show(self, event: Event, *, running: bool = True) -> None:
        """Move with `event`; `running` is whether a prompt is being answered."""
        if not running and isinstance(event, HookStarted | HookFinished | Asked | Answered):
            self._show_idle(event)
            return
        match event:
            case MeterChanged(reading=reading):
                self._reading = reading
                self._foot()
            case ModeChanged() | ModelChanged() | PromptFinished():
                self._foot()
            case StatusLineChanged(lines=lines):
                self._status_line = lines
                self._foot()
            case QueueChanged(queued=queued):
                self._show_queue(queued)
            case HookStarted(event=name, status=status):
                self.activity.note(status or f"{name} hook")
            case HookFinished() | ToolFinished():
                self.activity.note("")
            case ToolStarted(title=title):
                self.activity.note(clip(clean_line(title), 60))
            case RetryScheduled(attempt=attempt, max_attempts=most, delay=delay):
                self.activity.note(f"trying again in {delay:.0f}s ({attempt}/{most})")
            case TurnStarted() | Answered() | CompactFinished() | CompactFailed():
                self.activity.start(WORKING)
            case Asked():
                self.activity.start(WAITING, stoppable=False)
            case CompactStarted():
                self.activity.start(COMPACTING)
            case CompactProgress(characters=characters, note=note):
                self.activity.note(note or f"{characters:,} characters")
            case _:
                pass

    def _show_idle(self, event: HookStarted | HookFinished | Asked | Answered) -> None:
        """Something happens between two prompts: nothing else would end what the activity row says."""
        match event:
            case HookStarted(event=name, status=status):
                self.activity.start(status or f"{name} hook", stoppable=False)
            case Asked():
                self.activity.start(WAITING, stoppable=False)
            case HookFinished() | Answered():
                self.activity.stop()
            case unreachable:
                assert_never(unreachable)

    def _foot(self) -> None:
        if self.engine is None:
            return
        status, reading = self.engine.status(), self._reading
        words = (
            "" if reading is None else meter_text(reading, auto=reading.auto, compact_disabled=status.compact_disabled)
        )
        facts = Facts(
            mode=status.mode,
            model=status.model,
            branch=status.branch,
            cost=status.cost,
            offline=status.offline,
            words=words,
            status_line=self._status_line,
        )
        self.footer.update(reading, facts)

    def _show_queue(self, queued: tuple[str, ...]) -> None:
        def rows(width: int) -> list[Line]:
            shown = [self._queue_row(text, width) for text in queued[:MOST_QUEUED]]
            more = len(queued) - MOST_QUEUED
            return [*shown, *([line((f"  … {more} more", self._theme.dim))] if more > 0 else [])]

        self.queued.show(rows)
        self.queued.set_class(bool(queued), "some")

    def _queue_row(self, text: str, width: int) -> Line:
        hint = "  queued · ↑ takes it back"
        words = clip(clean_line(text), max(8, width - 4 - len(hint)))
        return line(("» ", self._theme.accent), (words, self._theme.user), (hint, self._theme.dim))
