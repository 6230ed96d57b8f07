"""Where a cleared result can be read back, and the words that say so in its place."""

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from agent.compact.old_results import OldResult, text_of
from agent.files.atomic import write_atomic
from agent.files.regular import read_regular
from agent.prompts.reminder import reminder_message
from agent.protocol.errors import FilesError
from agent.protocol.messages import Message
from agent.tools.limits import keep, spill_file
from agent.tools.titles import title_of

CLEARED = "[Old tool result content cleared]"  # the literal of design note 000 section 5
INDEX = "cleared.md"
MAX_TITLE = 80  # characters
MAX_INDEX = 16 * 1024 * 1024  # bytes


class Place(Struct, frozen=True):
    """A result put aside: what it was, in words, and the file that holds it."""

    title: str
    file: Path

    def stub(self, tokens: int) -> str:
        """What stands in the result's place; `tokens` is the size it had."""
        return f"{CLEARED} {self.title[:MAX_TITLE]} · ~{tokens:,} tokens · {self.file}"


def put_aside(results: Sequence[OldResult], spill_dir: Path, transcript: Path) -> tuple[Place, ...]:
    """The files of `results`: one each, written now unless the result went to its file when it was recorded.

    Where the disk refuses, the transcript is the place: it holds every result anyway. Blocks.
    """
    places = tuple(Place(title_of(item.call), _file_of(item, spill_dir, transcript)) for item in results)
    _add_to_index(places, spill_dir)
    return places


def where_they_are(places: Sequence[Place], spill_dir: Path) -> Message:
    """Told once, for results that the server leaves out: its own words there name no place."""
    index = spill_dir / INDEX
    where = f"{index} lists the file of each" if os.path.exists(index) else f"each has its file in {spill_dir}"
    return reminder_message(
        f"{len(places)} older tool results are no longer shown to save room. None is lost: {where}."
    )


def kept_file(spill_dir: Path, name: str, text: str) -> Path:
    """The file of `name` (a call, or another block), written now unless it is there: then it holds more than `text`. Raises FilesError."""
    file = spill_file(spill_dir, name)
    return file if os.path.exists(file) else keep(text, spill_dir, name)


def _file_of(item: OldResult, spill_dir: Path, transcript: Path) -> Path:
    try:
        return kept_file(spill_dir, item.call.id, text_of(item.result))
    except FilesError:
        return transcript


def _add_to_index(places: Sequence[Place], spill_dir: Path) -> None:
    """A list for the model to search; without it the files are still there."""
    index = spill_dir / INDEX
    try:
        known = read_regular(index, MAX_INDEX) if os.path.exists(index) else b""
        lines = "".join(f"- {place.title}: {place.file.name}\n" for place in places)
        write_atomic(index, known + lines.encode("utf-8", "replace"), mode=0o600)
    except (OSError, FilesError):
        return
