"""`ccagent sessions`: the recorded sessions, and the text of one."""

import sys
from pathlib import Path

from agent.settings.paths import Places
from agent.transcript.catalog import SessionInfo, find_session, list_sessions
from agent.transcript.entries import CompactBoundary, Entry, MessageEntry
from agent.transcript.ledger import load, notices_of
from agent.transcript.view import screen_view
from tui.render.safe import clean, clean_line, clip

TITLE_WIDTH = 60


def list_all(places: Places, *, everywhere: bool) -> int:
    """Print a line per session, newest first; 0."""
    folders = _folders(places) if everywhere else [places.sessions_dir]
    found = sorted(
        (info for folder in folders for info in list_sessions(folder)), key=lambda info: info.mtime, reverse=True
    )
    for info in found:
        sys.stdout.write(_row(info, with_folder=everywhere) + "\n")
    if not found:
        sys.stdout.write("No sessions yet.\n")
    return 0


def show_session(places: Places, session_id: str) -> int:
    """Print the conversation of one session, from its beginning through its compactions; SessionNotFound for an unknown id."""
    path = find_session([places.sessions_dir, *_folders(places)], session_id)
    ledger = load(path)
    for notice in notices_of(ledger):
        sys.stderr.write(f"{notice}\n")
    for entry in screen_view(ledger, ledger.chain.leaf_uuid):
        if text := _text(entry):
            sys.stdout.write(f"{text}\n\n")
    return 0


def _folders(places: Places) -> list[Path]:
    projects = places.sessions_dir.parent
    return sorted(folder for folder in projects.iterdir() if folder.is_dir()) if projects.is_dir() else []


def _row(info: SessionInfo, *, with_folder: bool) -> str:
    when = info.mtime.astimezone().strftime("%Y-%m-%d %H:%M")
    title = clip(clean_line(info.title or info.first_prompt), TITLE_WIDTH)
    where = f"  {info.cwd}" if with_folder else ""
    return f"{info.id}  {when}  {info.messages:>5} messages  {title}{where}"


def _text(entry: Entry) -> str:
    match entry:
        case CompactBoundary(trigger=trigger):
            return f"--- compacted ({trigger}): {entry.pre_tokens:,} -> {entry.post_tokens:,} tokens ---"
        case MessageEntry(message=message) if not entry.is_meta:
            calls = [f"[{call.name}] {clip(clean_line(str(call.input)), 200)}" for call in message.tool_uses]
            said = [clean(message.text)] if message.text.strip() else []
            mark = "> " if message.role == "user" else ""
            return mark + "\n".join([*said, *calls]) if said or calls else ""
        case _:
            return ""
