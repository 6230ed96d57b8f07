"""Commands about conversations: /clear, /resume, /rewind, /branch, /rename, /export."""

import asyncio
import os

from agent.file_history.restore import in_words
from agent.protocol.asks import Rewind
from agent.protocol.errors import UsageError
from agent.protocol.events import Emit, HistoryChanged
from agent.protocol.text import counted, head_of, one_line
from agent.session.argument_choices import rewind_choices, session_choices
from agent.session.command import Command
from agent.session.export import default_name, export_file
from agent.session.rewind import Point, rewind, rewind_points, undo_rewind
from agent.session.rewind_files import FilesSince, files_since, replaced, restore_files
from agent.session.state import State
from agent.transcript.entries import CUSTOM_TITLE

LISTED = 20
QUOTED = 12  # lines of a prompt that the prompt box or a list gives back whole
FILES = "files"


async def _clear(state: State, _argument: str, emit: Emit) -> str:
    old = state.conversation.transcript
    kept = f" The old one is kept: /resume {old.session_id}" if old.entries() else ""
    await state.start_over(emit)
    return f"New conversation.{kept}"


async def _resume(state: State, argument: str, emit: Emit) -> str:
    if argument:
        await state.resume(argument, emit)
        return f"Resumed {argument}."
    choices = session_choices(state)[:LISTED]
    if not choices:
        return "There are no earlier conversations in this folder."
    rows = [f"- `{choice.text.removeprefix('/resume ')}` {choice.hint}" for choice in choices]
    return "\n".join(["Earlier conversations (`/resume ID`):", "", *rows])


async def _rewind(state: State, argument: str, emit: Emit) -> str:
    number, _, what = argument.partition(" ")
    if not argument:
        return _prompts(state)
    if argument == "undo":
        return await _undo_rewind(state, emit)
    point = next((point for point in rewind_points(state.conversation) if str(point.number) == number), None)
    if point is None:
        raise UsageError(f"There is no prompt {number}.", safe="Nothing was changed.", do="/rewind lists them.")
    if what.strip() not in ("", FILES):
        raise UsageError(
            f"/rewind {number} does not know {what!r}.", do=f"/rewind {number}, or /rewind {number} {FILES}"
        )
    return await _go_back(state, point, emit, with_files=bool(what))


async def _go_back(state: State, point: Point, emit: Emit, *, with_files: bool) -> str:
    conversation, cwd = state.conversation, state.parts.workplace.cwd
    since = await asyncio.to_thread(files_since, conversation, point.uuid, cwd)
    if since.changes and not with_files and state.builder.interactive:
        lines = tuple(in_words(since.changes, cwd))
        answer = await state.asker.ask(Rewind(point.uuid, point.text, lines, since.uncovered))
        if answer.choice == "deny":
            return "Nothing was changed."
        with_files = answer.choice == "session"
    left = conversation.transcript.leaf
    rewind(conversation, state.parts.frame, point)
    put_back = await restore_files(conversation, since.changes, left, cwd) if with_files else ""
    files = f". {put_back}" if put_back else _left_alone(since, point)
    await state.moved(HistoryChanged("rewind", prompt=point.text), emit)
    said = f"The conversation now ends before prompt {point.number}{files} `/rewind undo` takes it back."
    return f"{said} The prompt was:\n\n{_quoted(point.text)}"


def _left_alone(since: FilesSince, point: Point) -> str:
    said = "; files on disk are as they were."
    if not since.changes:
        return said
    count = counted(len(since.changes), "file")
    return f"{said} ({count} changed since: after an undo, `/rewind {point.number} {FILES}` puts them back too.)"


async def _undo_rewind(state: State, emit: Emit) -> str:
    conversation, cwd = state.conversation, state.parts.workplace.cwd
    left = conversation.transcript.leaf
    source = undo_rewind(conversation, state.parts.frame)
    planned = await asyncio.to_thread(replaced, conversation, source)
    files = await restore_files(conversation, planned, left, cwd) if planned else ""
    await state.moved(HistoryChanged("rewind"), emit)
    return " ".join(part for part in ("The rewind is taken back.", files, "`/rewind undo` returns to it.") if part)


def _prompts(state: State) -> str:
    choices = rewind_choices(state)[:LISTED]
    if not choices:
        return "There is no prompt to go back to."
    rows = [f"- `{choice.text.removeprefix('/rewind ')}` {choice.hint}" for choice in choices]
    return "\n".join(["Go back to before a prompt with `/rewind N`:", "", *rows])


async def _branch(state: State, argument: str, emit: Emit) -> str:
    old = state.conversation.transcript.session_id
    await state.branch(argument, emit)
    return f"You are in a copy of the conversation now. The original is as it was: /resume {old}"


async def _rename(state: State, argument: str, _emit: Emit) -> str:
    title = one_line(argument)
    if not title:
        raise UsageError("A title is missing.", do="/rename TITLE")
    state.conversation.transcript.append_meta(CUSTOM_TITLE, {"customTitle": title})
    return f"This session is now called: {title}"


async def _export(state: State, argument: str, _emit: Emit) -> str:
    transcript = state.conversation.transcript
    if not transcript.entries():
        raise UsageError("There is nothing to export yet.")
    name = os.path.expanduser(argument) or default_name(transcript.session_id)
    path = state.parts.workplace.cwd / name
    export_file(transcript.path, transcript.entries(), path)
    return f"Exported to {path}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in head_of(text, QUOTED).splitlines())


HISTORY_COMMANDS = (
    Command("clear", "/clear", "start a new conversation; the old one is kept", _clear, aliases=("new", "reset")),
    Command("resume", "/resume [ID]", "list earlier conversations, or go on with one", _resume, aliases=("continue",)),
    Command(
        "rewind",
        "/rewind [N [files]|undo]",
        "list the prompts, or go back to before one, with the files or without",
        _rewind,
        aliases=("checkpoint",),
    ),
    Command("branch", "/branch [name]", "go on in a copy; the original stays as it is", _branch, aliases=("fork",)),
    Command("rename", "/rename TITLE", "give this session a title", _rename),
    Command("export", "/export [FILE]", "write the conversation to a file: .txt, .md or .json", _export),
)
