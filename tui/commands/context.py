"""`ccagent context`: where the tokens and the money of a transcript, or of all of them, went, and what its compactions lost."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from agent.protocol.errors import SessionNotFound, TranscriptError
from agent.session.audit.audit import Audit, audit
from agent.settings.paths import Places
from agent.transcript.catalog import latest_session
from tui.commands.context_all import all_report
from tui.commands.context_one import one_report
from tui.commands.which import ENDING, claude_folders, session_folders, transcript_of
from tui.render.lines import Line
from tui.render.safe import clean_line
from tui.render.screen import Screen

WIDTH = 110  # columns where there is no terminal


def show_context(places: Places, said: str | None, *, as_json: bool) -> int:
    """Report on one transcript, the latest of this folder unless `said` names another; 0. SessionNotFound when there is none."""
    path = transcript_of(places, said) if said else latest_session(places.sessions_dir)
    if path is None:
        raise SessionNotFound("No session was recorded in this folder yet.", do="Name a transcript, or use --all.")
    found = audit(path)
    for notice in found.notices:
        sys.stderr.write(f"{clean_line(notice)}\n")
    if as_json:
        _print_json(_figures(found))
    else:
        _print(one_report(found, _width()))
    return 0


def show_all(places: Places, *, as_json: bool) -> int:
    """Report on every transcript of ours and of Claude Code's; what cannot be read is named on stderr. 0, 1 when there is none."""
    folders = (*session_folders(places, everywhere=True), *claude_folders(places))
    paths = {path.resolve() for folder in folders for path in folder.glob(f"*{ENDING}") if os.path.isfile(path)}
    found = list(_audits(sorted(paths, key=_written)))  # a copy comes after its original, also one of the same moment
    if as_json:
        _print_json({"sessions": [_figures(one) for one in found]})
        return 0
    if not found:
        sys.stderr.write("No transcript was found, neither ours nor Claude Code's.\n")
        return 1
    _print(all_report(found, _width()))
    return 0


def _written(path: Path) -> tuple[int, int, Path]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0, path
    return status.st_mtime_ns, status.st_size, path


def _audits(paths: Sequence[Path]) -> Iterator[Audit]:
    """What was said or paid for; on a terminal it says how far it is."""
    told, billed = sys.stderr.isatty(), set[str]()
    for number, path in enumerate(paths, start=1):
        if told:
            sys.stderr.write(f"\rReading {number} of {len(paths)} transcripts…")
            sys.stderr.flush()
        try:
            found = audit(path, billed)
        except TranscriptError as error:
            sys.stderr.write(f"{clean_line(error.line)}\n")
            continue
        if found.ever.messages or found.bill.requests:
            yield found
    if told:
        sys.stderr.write("\r\x1b[K")


def _figures(found: Audit) -> dict[str, object]:
    """The figures as JSON; `messages`, `estimated` and `total` are of what the model sees now."""
    record: dict[str, object] = msgspec.to_builtins(found)
    record |= {"messages": found.now.messages, "estimated": found.now.tokens, "total": found.now.total}
    record |= {"requests": found.bill.requests, "cost_usd": found.bill.dollars}
    return record


def _print_json(value: object) -> None:
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")


def _print(rows: Iterable[Line]) -> None:
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    Screen(colour=colour).rows(rows)


def _width() -> int:
    return shutil.get_terminal_size((WIDTH, 0)).columns if sys.stdout.isatty() else WIDTH
