"""Which files a rewind could put back, and which changed in ways nobody kept track of."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from agent.compact.conversation import Conversation
from agent.compact.ledger.record import calls_done
from agent.compact.ledger.shell_effects import effects
from agent.file_history.restore import Change, Outcome, changes, put_back
from agent.file_history.snapshots import first_since, replaced_by_rewind
from agent.files.seen_from import seen_from
from agent.protocol.text import counted, one_line
from agent.transcript.entries import Entry, MessageEntry
from agent.transcript.view import screen_view

START = "start"  # in place of a uuid: the conversation ended before its beginning


class FilesSince(Struct, frozen=True):
    """What a rewind would change on disk, in order of the first change, and what it could not."""

    changes: tuple[Change, ...] = ()
    uncovered: tuple[str, ...] = ()


def files_since(conversation: Conversation, prompt: str, cwd: Path) -> FilesSince:
    """The files that are not as they were when the prompt with this uuid was sent, whichever branch changed them. Blocks."""
    transcript, history = conversation.transcript, conversation.file_history
    entries = screen_view(transcript.entries(), transcript.leaf)
    after = entries[next(at for at, entry in enumerate(entries) if entry.uuid == prompt) :]
    moment = after[0].timestamp if isinstance(after[0], MessageEntry) else ""
    states = first_since(history.saved(), moment)
    covered = {saved.path for saved in states}
    missed = [Path(path) for path, when in history.missed.items() if when >= moment]
    loose = [path for path in (*missed, *_by_commands(after, cwd)) if str(path) not in covered]
    return FilesSince(changes(history, states), tuple(dict.fromkeys(_told(path, cwd) for path in loose)))


def _by_commands(entries: Sequence[Entry], cwd: Path) -> Iterator[Path]:
    """Files that commands seem to have written and that are there, or seem to have removed and that are not."""
    for done in calls_done(entries):
        if done.call.name == "Bash":
            found = effects(done.argument("command"))
            yield from (Path(os.path.realpath(cwd / name)) for name in found.written if os.path.isfile(cwd / name))
            yield from (Path(os.path.realpath(cwd / name)) for name in found.removed if not os.path.exists(cwd / name))


async def restore_files(conversation: Conversation, planned: Sequence[Change], left: str | None, cwd: Path) -> str:
    """Puts the files back after the conversation has moved away from `left`, and says in words what came of it."""
    outcome = await asyncio.to_thread(put_back, conversation.file_history, planned, left or START)
    return _said(outcome, cwd)


def replaced(conversation: Conversation, source: str | None) -> tuple[Change, ...]:
    """What it takes to have the files again as they were when a rewind left `source`. Blocks."""
    history = conversation.file_history
    return changes(history, replaced_by_rewind(history.saved(), source or START))


def _said(outcome: Outcome, cwd: Path) -> str:
    done = ", ".join(f"{change.action}d {_told(change.path, cwd)}" for change in outcome.done)
    parts = [f"Files put back: {done}."] if done else []
    if outcome.skipped:
        names = "; ".join(f"{_told(path, cwd)} ({why.rstrip('.')})" for path, why in outcome.skipped)
        parts.append(f"Restored the code, but skipped {counted(len(outcome.skipped), 'file')}: {names}")
    return " ".join(parts) or "No file had to be put back."


def _told(path: Path, cwd: Path) -> str:
    return one_line(str(seen_from(path, cwd)))
