"""`ccagent sessions list`, `show` and `export`: the recorded conversations."""

import os
import sys
from datetime import datetime
from pathlib import Path

import msgspec

from agent.protocol.errors import UsageError
from agent.session.export import FORMATS, Format, export, export_file
from agent.settings.paths import Places
from agent.transcript.catalog import SessionInfo, list_sessions
from agent.transcript.ledger import Ledger, load, notices_of
from tui.commands.which import claude_folders, session_folders, transcript_of
from tui.render.safe import clean, clean_line, clip

TITLE_WIDTH = 60


def list_all(places: Places, *, everywhere: bool, theirs: bool, as_json: bool) -> int:
    """Print a line per session (ours, or Claude Code's), newest first, or all as one JSON array; 0."""
    folders = (claude_folders if theirs else session_folders)(places, everywhere=everywhere)
    found = sorted(
        (info for folder in folders for info in list_sessions(folder)), key=lambda info: info.mtime, reverse=True
    )
    if as_json:
        sys.stdout.write(msgspec.json.encode(found, enc_hook=str).decode() + "\n")
        return 0
    for info in found:
        sys.stdout.write(_row(info, with_folder=everywhere) + "\n")
    if not found:
        sys.stdout.write("No sessions yet.\n")
    return 0


def show_session(places: Places, said: str) -> int:
    """Print one conversation, from its beginning through its compactions; SessionNotFound when there is none."""
    path = transcript_of(places, said)
    sys.stdout.write(clean(export(path, read(path), "text")))
    return 0


def export_session(places: Places, said: str, target: Path | None, kind: Format | None) -> int:
    """Write one conversation to the new file `target`, or to standard output; UsageError when `target` exists."""
    path = transcript_of(places, said)
    if target is None:
        document = export(path, read(path), kind or "md")
        sys.stdout.write(clean(document) if sys.stdout.isatty() else document)
        return 0
    if kind is None and target.suffix and target.suffix.lower() not in (".txt", ".text", *FORMATS):
        raise UsageError(f"{target} ends in no format we write.", do="Add --format text, md or json.")
    target = places.cwd / os.path.expanduser(target)
    export_file(path, read(path), target, kind)
    sys.stderr.write(f"Exported to {clean_line(str(target))}\n")
    return 0


def read(path: Path) -> Ledger:
    """The transcript at `path`; what had to be healed goes to stderr."""
    ledger = load(path)
    for notice in notices_of(ledger):
        sys.stderr.write(f"{clean_line(notice)}\n")
    return ledger


def when(moment: datetime) -> str:
    """`moment` in the person's own time, to the minute."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def title_of(title: str) -> str:
    """`title` for a table."""
    return clip(clean_line(title), TITLE_WIDTH)


def _row(info: SessionInfo, *, with_folder: bool) -> str:
    where = f"  {clean_line(info.cwd)}" if with_folder else ""
    said = title_of(info.title or info.first_prompt)
    return f"{clean_line(info.id)}  {when(info.mtime)}  {info.messages:>5} messages  {said}{where}"
