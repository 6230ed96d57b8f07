"""Events that are one line of text, in the words that every face uses."""

from typing import Literal, TypeAlias, assert_never

from msgspec import Struct

from agent.api import receipt_line
from agent.protocol.events import (
    CompactFailed,
    CompactFinished,
    Event,
    Failed,
    HookFinished,
    Interrupted,
    MicroCompacted,
    ModelChanged,
    Notice,
    RetryScheduled,
)
from agent.protocol.text import counted
from tui.render.details import duration
from tui.render.safe import clean, clean_line, clip

Tone: TypeAlias = Literal["quiet", "note", "good", "warn", "bad"]

COMMAND_ROOM = 60  # characters of a hook's command


class EventLine(Struct, frozen=True):
    """A mark, clean text (may hold newlines), and how loud it is."""

    mark: str
    text: str
    tone: Tone


class Echoes:
    """Tells the failure of a run that only says again what its failed compaction has just said."""

    def __init__(self) -> None:
        self._said = ""

    def has(self, event: Event) -> bool:
        """Whether `event` is such an echo; to be asked of every event that is shown as a line."""
        said = self._said
        if isinstance(event, CompactFailed | Failed):
            self._said = event.reason if isinstance(event, CompactFailed) else ""
        return isinstance(event, Failed) and event.failure.line == said


def event_line(event: Event) -> EventLine | None:
    """The line for `event`, or None when it is not shown as one (streams, tools, questions, `output` notices)."""
    match event:
        case HookFinished():
            return _hook(event)
        case CompactFinished(receipt=receipt):
            return EventLine("✻", receipt_line(receipt), "good")
        case CompactFailed():
            return _compact_failed(event)
        case MicroCompacted(cleared=cleared, tokens_saved=saved):
            return EventLine("✻", f"Cleared {counted(cleared, 'old tool result')} · ~{saved:,} tokens freed", "quiet")
        case RetryScheduled(attempt=attempt, max_attempts=most, delay=delay, reason=reason):
            text = f"{clean_line(reason)} · trying again in {delay:.0f}s ({attempt}/{most})"
            return EventLine("↻", text, "warn")
        case Notice(level=level, text=text) if level != "output":
            tones: dict[str, Tone] = {"info": "note", "warning": "warn", "error": "bad"}
            return EventLine({"info": "·", "warning": "!", "error": "✗"}[level], clean(text).rstrip(), tones[level])
        case Interrupted():
            return EventLine("⏹", "Interrupted · what should be done instead?", "warn")
        case Failed(failure=failure):
            return EventLine(
                "✗", clean("\n".join(part for part in (failure.what, failure.safe, failure.do) if part)), "bad"
            )
        case ModelChanged(model=model):
            return EventLine("·", f"Model: {clean_line(model)}", "note")
        case _:
            return None


def _hook(event: HookFinished) -> EventLine:
    """`PreCompact hook ok (80ms) · notify.sh` and, below it, what the hook wants read."""
    ending = {"ok": "ok", "blocked": "blocked", "failed": "failed", "timeout": "timed out"}[event.outcome]
    code = f" (exit {event.exit_code})" if event.outcome == "failed" and event.exit_code else ""
    command = clip(clean_line(event.command), COMMAND_ROOM)
    head = f"{clean_line(event.event)} hook {ending}{code} · {duration(event.duration_ms)} · {command}"
    said = clean(event.text).strip()
    tones: dict[str, Tone] = {"ok": "quiet", "blocked": "warn", "failed": "bad", "timeout": "bad"}
    return EventLine("⚑", f"{head}\n{said}" if said else head, tones[event.outcome])


def _compact_failed(event: CompactFailed) -> EventLine:
    reason = clean_line(event.reason)
    match event.kind:
        case "vetoed":
            return EventLine("✻", f"Compaction vetoed by a hook · {reason}", "warn")
        case "cancelled":
            return EventLine("✻", "Compaction cancelled · the conversation is unchanged", "note")
        case "nothing":
            return EventLine("✻", reason, "note")
        case "failed":
            return EventLine("✻", f"Compaction failed · {reason}", "bad")
        case unreachable:
            assert_never(unreachable)
