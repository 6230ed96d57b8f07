"""The three output formats: final text, one JSON object, or one JSON line per event."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from agent.api import Session
from agent.protocol.events import (
    AssistantDone,
    CompactFailed,
    CompactFinished,
    CompactStarted,
    Event,
    HookFinished,
    RetryScheduled,
    TextDelta,
    ThinkingDelta,
    ToolResultsRecorded,
)
from agent.protocol.results import RunResult
from agent.protocol.text import to_json
from tui.headless.partial import PartialMessages
from tui.headless.records import (
    Record,
    assistant_record,
    boundary_record,
    hook_record,
    init_record,
    result_record,
    retry_record,
    status_record,
    stream_record,
    user_record,
)

Write: TypeAlias = Callable[[bytes], None]


class Output(Protocol):
    """Where a run's events and its result go; `session` is None when none could be opened."""

    def begin(self, session: Session) -> None: ...

    def show(self, event: Event) -> None: ...

    def finish(self, result: RunResult, text: str, session: Session | None) -> None: ...


class TextOutput:
    """The answer alone, when it is whole. On a terminal `clean` takes out what could steer it; a pipe gets every character."""

    def __init__(self, write: Write, clean: Callable[[str], str]) -> None:
        self._write = write
        self._clean = clean

    def begin(self, session: Session) -> None:
        """Nothing to say yet."""

    def show(self, event: Event) -> None:
        """Nothing to say before the end."""

    def finish(self, result: RunResult, text: str, session: Session | None) -> None:
        """Print the text, if there is any."""
        if text:
            line = self._clean(text).rstrip("\n") + "\n"
            self._write(line.encode("utf-8", errors="replace"))


class JsonOutput:
    """One JSON object at the end."""

    def __init__(self, write: Write) -> None:
        self._write = write

    def begin(self, session: Session) -> None:
        """Nothing to say yet."""

    def show(self, event: Event) -> None:
        """Nothing to say before the end."""

    def finish(self, result: RunResult, text: str, session: Session | None) -> None:
        """Print the object, also for a run that failed."""
        self._write(_line(_closing(result, text, session)))


class StreamJsonOutput:
    """One JSON line per event, flushed at once."""

    def __init__(self, write: Write, *, version: str, partial: bool) -> None:
        self._write = write
        self._version = version
        self._wants_partial = partial
        self._partial = PartialMessages("")
        self._session_id = ""
        self._early: list[Event] = []  # hooks that ran before the first line could be written
        self._open = False

    def begin(self, session: Session) -> None:
        """The `init` line; once per prompt, as the session may have changed."""
        status = session.status()
        self._session_id = status.session_id
        self._partial = PartialMessages(status.model)
        self._write(_line(init_record(status, self._version)))
        self._open = True
        early, self._early = self._early, []
        for event in early:
            self.show(event)

    def show(self, event: Event) -> None:
        """The lines for `event`, none for most; a hook's line waits for the next `init` when no prompt is being answered."""
        if not self._open:
            self._early.append(event)
            return
        for record in self._records(event):
            self._write(_line(record))

    def finish(self, result: RunResult, text: str, session: Session | None) -> None:
        """The `result` line."""
        self._open = False
        self._write(_line(_closing(result, text, session)))

    def _records(self, event: Event) -> list[Record]:
        here = self._session_id
        match event:
            case TextDelta(text=text) if self._wants_partial:
                return [stream_record(piece, here) for piece in self._partial.delta("text", text)]
            case ThinkingDelta(text=text) if self._wants_partial:
                return [stream_record(piece, here) for piece in self._partial.delta("thinking", text)]
            case AssistantDone():
                return [*self._end_of_message(event), assistant_record(event, here)]
            case ToolResultsRecorded():
                return [user_record(event, here)]
            case RetryScheduled():
                return [*self._end_of_message(), retry_record(event, here)]
            case HookFinished():
                return [hook_record(event, here)]
            case CompactStarted():
                return [status_record("compacting", here)]
            case CompactFinished(receipt=receipt):
                return [status_record(None, here, compact_result="success"), boundary_record(receipt, here)]
            case CompactFailed(reason=reason):
                return [status_record(None, here, compact_result="failed", compact_error=reason)]
            case _:
                return []

    def _end_of_message(self, whole: AssistantDone | None = None) -> list[Record]:
        return [stream_record(piece, self._session_id) for piece in self._partial.end(whole)]


def _closing(result: RunResult, text: str, session: Session | None) -> Record:
    if session is None:
        return result_record(result, text, session_id="", reading=None)
    return result_record(result, text, session_id=session.status().session_id, reading=session.reading())


def _line(record: Record) -> bytes:
    return to_json(record) + b"\n"
