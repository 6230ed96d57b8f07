"""`ccagent sessions prune`: removes old sessions, after saying which and asking."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agent.protocol.errors import TranscriptError
from agent.protocol.text import counted
from agent.settings.flags import Flags
from agent.settings.load import load_settings
from agent.settings.paths import Places
from agent.transcript.prune import Stale, remove_session, stale_sessions
from tui.commands.sessions import title_of, when
from tui.commands.which import session_folders
from tui.render.safe import clean_line

YES = ("y", "yes")


def prune(
    places: Places, env: Mapping[str, str], *, days: float | None, everywhere: bool, dry: bool, sure: bool
) -> int:
    """List what was not written for `days`, ask unless `sure`, remove it unless `dry`; 1 when something that should go is still there."""
    days = _cleanup_period(places, env) if days is None else days
    before = datetime.now(UTC) - timedelta(days=days)
    found = stale_sessions(session_folders(places, everywhere=everywhere), before)
    for stale in found:
        sys.stdout.write(_row(stale) + "\n")
    old = [stale for stale in found if not stale.busy]
    if not old:
        sys.stdout.write(f"Nothing to remove: no session is unused for {days:g} days.\n")
        return 0
    if dry:
        sys.stdout.write(f"Would remove {_sum(old)}.\n")
        return 0
    if not sure and not _agreed(old):
        return 1
    return _remove(places, old, before)


def _cleanup_period(places: Places, env: Mapping[str, str]) -> float:
    """The setting `cleanupPeriodDays`."""
    return load_settings(places, env, Flags(), trusted=lambda _items: False).cleanup_period_days.value


def _row(stale: Stale) -> str:
    state = "  (in use: stays)" if stale.busy else ""
    return (
        f"{clean_line(stale.path.stem)}  {when(stale.mtime)}  {size_of(stale.size):>8}  {title_of(stale.title)}{state}"
    )


def _agreed(old: Sequence[Stale]) -> bool:
    if not sys.stdin.isatty():
        sys.stderr.write("Nothing was removed: nobody is there to ask. --yes removes without a question.\n")
        return False
    sys.stdout.write(f"Remove {_sum(old)} for good? [y/N] ")
    sys.stdout.flush()
    agreed = sys.stdin.readline().strip().lower() in YES
    if not agreed:
        sys.stdout.write("Nothing was removed.\n")
    return agreed


def _remove(places: Places, old: Sequence[Stale], before: datetime) -> int:
    removed: list[Stale] = []
    for stale in old:
        try:
            remove_session(stale.path, before, beside=_beside(places, stale.path))
            removed.append(stale)
        except TranscriptError as error:
            sys.stderr.write(f"{clean_line(error.line)}\n")
    sys.stdout.write(f"Removed {_sum(removed)}.\n")
    return 0 if len(removed) == len(old) else 1


def _beside(places: Places, path: Path) -> tuple[Path]:
    """What we keep elsewhere for a session."""
    return (places.ccagent_home / "file-history" / path.stem,)


def _sum(sessions: Sequence[Stale]) -> str:
    count = len(sessions)
    return f"{counted(count, 'session')} ({size_of(sum(stale.size for stale in sessions))})"


def size_of(count: int) -> str:
    """Bytes for the eye."""
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
