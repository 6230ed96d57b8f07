"""The conversation so far as the events that a face shows to draw it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from agent.attachments.collect import attached_notice
from agent.loop.interrupt import INTERRUPTED
from agent.protocol.blocks import ToolResult, ToolUse
from agent.protocol.details import Details, PlainText
from agent.protocol.events import AssistantDone, CompactFinished, Event, Notice, PromptAccepted, ToolFinished
from agent.protocol.results import Receipt
from agent.protocol.tools import ToolOutput
from agent.session.shell_note import read_note
from agent.tools.titles import title_of
from agent.transcript.entries import AttachmentEntry, CompactBoundary, Entry, MessageEntry
from agent.transcript.invariants import UNANSWERED
from agent.transcript.transcript import Transcript
from agent.transcript.view import screen_page

PAGE = 2_000  # records


class HistoryPage(Struct, frozen=True):
    """Some of the conversation as events, and the number of records before them (to ask for the page before)."""

    events: tuple[Event, ...]
    first: int = 0


def history_page(transcript: Transcript, cwd: Path, before: int | None) -> HistoryPage:
    """The last page, or the one that ends before record `before`."""
    entries, first = screen_page(transcript.entries(), transcript.leaf, before, PAGE)
    return HistoryPage(history_events(entries, cwd), first)


def history_events(entries: Sequence[Entry], cwd: Path) -> tuple[Event, ...]:
    """Events for what is on the chain, oldest first; `entries` is the screen view, titles name files as seen from `cwd`."""
    calls: dict[str, ToolUse] = {}
    attached: tuple[str, ...] = ()  # by the prompt that comes next
    events: list[Event] = []
    for entry in entries:
        match entry:
            case MessageEntry():
                if entry.message.role == "user" and not entry.message.tool_results:
                    events.extend(_unanswered(calls, cwd))
                events.extend(_message_events(entry, calls, cwd))
                if attached and events and isinstance(events[-1], PromptAccepted):
                    events.append(attached_notice(attached))
                    attached = ()
            case AttachmentEntry():
                attached = entry.attached or attached
            case CompactBoundary():
                events.append(CompactFinished(_receipt(entry)))
            case _:
                pass
    return (*events, *_unanswered(calls, cwd))


def _unanswered(calls: dict[str, ToolUse], cwd: Path) -> Iterator[Event]:
    """The calls that nothing answered before something else was said, as the model is told of them; they are no longer open."""
    for call in calls.values():
        lost = ToolResult(tool_use_id=call.id, content=UNANSWERED, is_error=True)
        yield _tool_event(call, lost, None, cwd)
    calls.clear()


def _message_events(entry: MessageEntry, calls: dict[str, ToolUse], cwd: Path) -> Iterator[Event]:
    message = entry.message
    if message.role == "assistant":
        calls.update({call.id: call for call in message.tool_uses})
        yield AssistantDone(
            uuid=entry.uuid,
            message=message,
            message_id=entry.message_id,
            model=entry.model,
            stop_reason=entry.stop_reason,
            usage=entry.usage,
        )
        return
    shown = dict(entry.tool_details)
    for result in message.tool_results:
        if result.tool_use_id in calls:
            yield _tool_event(calls.pop(result.tool_use_id), result, shown.get(result.tool_use_id), cwd)
    if entry.is_meta:
        yield from _meta_events(entry)
    elif not entry.is_compact_summary and not message.tool_results and message.text:
        yield PromptAccepted(uuid=entry.uuid, text=message.text)


def _meta_events(entry: MessageEntry) -> Iterator[Event]:
    """What a person did beside the conversation: stopped a run, ran a command of their own."""
    text = entry.message.text
    if text.endswith(INTERRUPTED):
        yield Notice(level="info", text="Interrupted")
    elif (ran := read_note(text)) is not None:
        yield ToolFinished(id=entry.uuid, name="Bash", title=f"! {ran.command}", output=_printed(ran.output))


def _printed(text: str) -> ToolOutput:
    return ToolOutput(text=text, details=PlainText(text=text))


def _tool_event(call: ToolUse, result: ToolResult, details: Details | None, cwd: Path) -> ToolFinished:
    output = ToolOutput(text=result.text, is_error=result.is_error, details=details)
    return ToolFinished(id=call.id, name=call.name, title=_seen_from(cwd, title_of(call)), output=output)


def _seen_from(cwd: Path, title: str) -> str:
    """As the call was announced when it ran: a file below `cwd` by its path from there."""
    return title.replace(f" {cwd}/", " ", 1)


def _receipt(boundary: CompactBoundary) -> Receipt:
    checked = boundary.checked
    return Receipt(
        trigger=boundary.trigger,
        boundary=boundary.uuid,
        pre_tokens=boundary.pre_tokens,
        post_tokens=boundary.post_tokens,
        summary="",
        cost=boundary.cost,
        duration_ms=boundary.duration_ms,
        messages_summarized=boundary.messages_summarized,
        extractive=boundary.extractive,
        rules=checked.rules if checked else None,
        files=checked.files if checked else None,
        repaired=checked.repaired if checked else 0,
    )
