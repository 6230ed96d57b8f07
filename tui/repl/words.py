"""Events in words: what the REPL says about each, and in which tone."""

from typing import NamedTuple, assert_never

from agent.api import receipt_line
from agent.protocol.details import CommandOutput, Details, FileDiff, FileText, Matches, PlainText
from agent.protocol.events import (
    Answered,
    Asked,
    AssistantDone,
    CompactFailed,
    CompactFinished,
    CompactProgress,
    CompactStarted,
    Event,
    ExitRequested,
    Failed,
    HistoryChanged,
    HookFinished,
    HookStarted,
    Interrupted,
    MeterChanged,
    MicroCompacted,
    ModeChanged,
    ModelChanged,
    Notice,
    PromptAccepted,
    PromptFinished,
    QueueChanged,
    RetryScheduled,
    TasksChanged,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolResultsRecorded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from tui.render.safe import clean_line, clean_output, clip
from tui.repl.screen import Tone

SHOWN_LINES = 12  # of a diff or an output; the transcript has the rest
LINE_WIDTH = 200  # characters of one shown line


class Said(NamedTuple):
    """Some lines in one tone."""

    text: str
    tone: Tone = "plain"


def said(event: Event) -> list[Said]:
    """What to print for `event`; nothing for what the REPL shows otherwise or not at all."""
    match event:
        case ToolStarted(title=title):
            return [Said(f"* {clean_line(title)}", "bold")]
        case ToolFinished():
            return tool_lines(event)
        case HookFinished(text=text, outcome=outcome) if text:
            return [Said(f"hook {event.event}: {text}", "dim" if outcome == "ok" else "warning")]
        case MicroCompacted(cleared=cleared, tokens_saved=saved):
            return [Said(f"Cleared {cleared} old tool results (about {saved:,} tokens).", "dim")]
        case CompactStarted():
            return [Said("Compacting conversation…", "dim")]
        case CompactProgress(note=note) if note:
            return [Said(note, "dim")]
        case CompactFinished(receipt=receipt):
            return [Said(receipt_line(receipt), "bold")]
        case CompactFailed(reason=reason):
            return [Said(f"Not compacted: {reason} The conversation is unchanged.", "error")]
        case RetryScheduled():
            wait = f"try {event.attempt + 1} of {event.max_attempts} in {event.delay:.0f} s"
            return [Said(f"{clean_line(event.reason)}: {wait}; the answer starts again.", "warning")]
        case Notice(level=level, text=text):
            return [Said(text, {"warning": "warning", "error": "error", "info": "dim"}.get(level, "plain"))]  # type: ignore[arg-type]  # literal values
        case Interrupted():
            return [Said("Interrupted.", "warning")]
        case Failed(failure=failure):
            return [Said(failure.line, "error")]
        case ModeChanged(mode=mode):
            return [Said(f"Permission mode: {mode}", "dim")]
        case ModelChanged(model=model):
            return [Said(f"Model: {model}", "dim")]
        case TasksChanged(tasks=tasks):
            return [Said("\n".join(f"[{state}] {text}" for state, text in tasks), "dim")]
        case HistoryChanged(reason=reason):
            return [Said(f"--- {reason} ---", "bold")]
        case (
            PromptAccepted()
            | TurnStarted()
            | TextDelta()
            | ThinkingDelta()
            | AssistantDone()
            | ToolProgress()
            | ToolResultsRecorded()
            | Asked()
            | Answered()
            | HookStarted()
            | HookFinished()
            | MeterChanged()
            | CompactProgress()
            | TurnEnded()
            | PromptFinished()
            | QueueChanged()
            | ExitRequested()
        ):
            return []
        case _:
            assert_never(event)


def tool_lines(event: ToolFinished) -> list[Said]:
    """A call's outcome: the reason when it failed, else a few lines for the eye."""
    if event.output.is_error:
        return [Said(_few(event.output.text.splitlines()), "error")]
    text = "" if event.output.details is None else details_text(event.output.details)
    return [Said(text, "dim")] if text else []


def details_text(details: Details) -> str:
    """A few lines about what a call did or would do."""
    match details:
        case FileDiff():
            lines = [line for hunk in details.hunks for line in hunk.lines]
            head = f"{details.path} (+{details.added} -{details.removed})"
            return _few([head, *lines])
        case FileText():
            return f"  {details.lines} lines from line {details.first_line} of {details.total_lines}"
        case CommandOutput():
            end = "" if details.exit_code == 0 else f"\n  exit code {details.exit_code}"
            return _few(clean_output(details.output).splitlines()) + end
        case Matches():
            return _few([f"{details.hits} hits in {details.files} files", *details.lines])
        case PlainText():
            return _few(details.text.splitlines())
        case _:
            assert_never(details)


def _few(lines: list[str]) -> str:
    more = len(lines) - SHOWN_LINES
    rest = [f"  … {more} more lines"] if more > 0 else []
    return "\n".join([*(f"  {clip(line, LINE_WIDTH)}" for line in lines[:SHOWN_LINES]), *rest])
