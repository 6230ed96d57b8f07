"""Commands about memory: /memory lists, adds and opens; /init drafts the project's file."""

import asyncio
import os
from pathlib import Path

from agent.files.atomic import write_atomic
from agent.loop.accept import Body
from agent.memory.add import SCOPES, Scope, add_rule, memory_path
from agent.memory.draft import draft_memory
from agent.prompts.init import init_prompt
from agent.prompts.reminder import reminder_message
from agent.protocol.errors import UsageError
from agent.protocol.events import EditorRequested, Emit
from agent.protocol.markdown import code, table
from agent.session.command import Command
from agent.session.custom_command import Expanded
from agent.session.state import State

LATER = "What changes in it is read after /clear or /compact, and when ccagent is started again."
HOW = "`/memory add [user|project|local] RULE` adds to one, `/memory open [N|user|project|local]` opens one in your editor."


async def _memory(state: State, argument: str, emit: Emit) -> str:
    verb, *rest = argument.split(maxsplit=1)[:2] or [""]
    words = rest[0] if rest else ""
    match verb:
        case "":
            return _list(state)
        case "add":
            return _add(state, words)
        case "open":
            path = _chosen(state, words.strip())
            await emit(EditorRequested(str(path)))
            return f"{path}: {LATER}"
        case _:
            raise UsageError(f"/memory does not know {verb!r}.", do=HOW)


def _list(state: State) -> str:
    memory = state.builder.opening.memory()
    rows = [
        (str(number), code(str(file.path)), file.kind, f"{len(file.text):,} characters")
        for number, file in enumerate(memory.files, 1)
    ]
    files = table(("", "file", "whose", "size"), rows) if rows else "No memory files (CLAUDE.md) were found."
    return "\n\n".join(part for part in (files, "\n".join(f"- {line}" for line in memory.notices), HOW) if part)


def _add(state: State, words: str) -> str:
    """Writes the rule down, and tells the model at once: memory itself is only read when a conversation begins."""
    scope, rule = _scope(words)
    if not rule:
        raise UsageError("/memory add what?", do=HOW)
    path = memory_path(state.builder.places, scope)
    add_rule(path, rule)
    if state.conversation.view():
        note = f"The user has added this to {path}; it holds from now on:\n{rule}"
        state.conversation.transcript.append_message(reminder_message(note), is_meta=True)
    return f"Added to {code(str(path))}. It holds from now on."


def _scope(words: str) -> tuple[Scope, str]:
    first, *rest = words.split(maxsplit=1) or [""]
    for scope in SCOPES:
        if first == scope:
            return scope, rest[0].strip() if rest else ""
    return "project", words.strip()


def _chosen(state: State, word: str) -> Path:
    files = state.builder.opening.memory().files
    if word.isdecimal():
        if not 1 <= int(word) <= len(files):
            raise UsageError(f"There is no memory file {word}.", do="/memory lists them.")
        return files[int(word) - 1].path
    scope, rest = _scope(word or "project")
    if rest:
        raise UsageError(f"There is no memory file {word!r}.", do=HOW)
    root = state.builder.places.project_root
    below = root / ".claude" / "CLAUDE.md"
    if scope == "project" and os.path.isfile(below) and not os.path.exists(root / "CLAUDE.md"):
        return below  # opening is not writing
    return memory_path(state.builder.places, scope)


async def _init(state: State, argument: str, _emit: Emit) -> str:
    """Without a model: a draft from what lies there, never over a file that is there."""
    path = state.builder.places.project_root / "CLAUDE.md"
    text = await asyncio.to_thread(draft_memory, state.builder.places.project_root)
    ignored = "" if argument in ("", "draft") else " Your wishes need a model and were left out."
    if os.path.lexists(path):
        there = f"{code(str(path))} is there already, so nothing was written."
        return f"{there}{ignored} This is what a draft would say:\n\n{text}"
    write_atomic(path, text.encode("utf-8", "replace"))
    return (
        f"Wrote {code(str(path))} from what lies here, without a model.{ignored} Read it and mend it. {LATER}\n\n{text}"
    )


def init_request(state: State, line: str, argument: str) -> Expanded | None:
    """/init as a prompt to the model; None when it is to be drafted without one (`/init draft`, or offline)."""
    if argument == "draft" or state.builder.offline:
        return None
    path = state.builder.places.project_root / "CLAUDE.md"
    text = init_prompt(path, exists=os.path.exists(path), wishes=argument)
    return Expanded(line, Body(text, ""))


MEMORY_COMMANDS = (
    Command("memory", "/memory [add|open] [words]", "the CLAUDE.md files in force; add to one, open one", _memory),
    Command("init", "/init [draft|wishes]", "write CLAUDE.md for this project, or mend the one there is", _init),
)
