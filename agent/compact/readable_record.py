"""The conversation as a text file beside its transcript: what a compaction takes out of sight can be searched and read with exact bytes."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from agent.files.atomic import write_atomic
from agent.files.private import make_private
from agent.files.regular import read_regular
from agent.protocol.blocks import Block, Text, ToolResult, ToolUse
from agent.protocol.errors import FilesError
from agent.tools.limits import spill_file, spill_folder
from agent.transcript.entries import MessageEntry

FOLDER = "compacted"
MAX_LINE = 1_800  # characters: Read cuts longer lines
AGAIN = 200  # characters told twice, so that what stands across a cut stands whole in the next piece
MAX_SPILLED = 2_000_000  # bytes of a large result that is told whole here; a larger one stays in its own file
HEAD = (
    "The conversation before it was compacted, oldest first. Each part begins with a line of === and the id of its record. "
    f"A line of more than {MAX_LINE:,} characters goes on in the next one, which begins with … and the last {AGAIN} characters again."
)


def record_folder(transcript: Path) -> Path:
    """Where the readable records of a session are, one file for each compaction."""
    return transcript.with_suffix("") / FOLDER


def write_record(view: Sequence[MessageEntry], transcript: Path) -> Path:
    """Writes what the model has seen (0600 in 0700) and returns the file; where the disk refuses, the transcript is the place. Blocks.

    The transcript holds the same words, but as JSON: what is searched there must be escaped first.
    """
    file = _record_file(view, transcript)
    try:
        make_private(file.parent)
        text = "\n".join(_readable(_lines(view, spill_folder(transcript))))
        write_atomic(file, text.encode("utf-8", "replace"), mode=0o600)
    except (OSError, FilesError):
        return transcript
    return file


@contextmanager
def taken_back_unless_done(view: Sequence[MessageEntry], transcript: Path) -> Iterator[None]:
    """A record that is written inside goes away again, with its folders, when the compaction does not happen."""
    file = _record_file(view, transcript)
    was_there = os.path.exists(file)
    done = False
    try:
        yield
        done = True
    finally:
        if not done and not was_there:
            with suppress(OSError):
                file.unlink(missing_ok=True)
                file.parent.rmdir()
                file.parent.parent.rmdir()


def _record_file(view: Sequence[MessageEntry], transcript: Path) -> Path:
    return record_folder(transcript) / f"{view[-1].uuid}.md"


def _readable(texts: Iterable[str]) -> Iterator[str]:
    """Lines that Read shows whole, of a file that Grep does not take for a binary one."""
    for text in texts:
        for line in text.replace("\0", "␀").split("\n"):
            yield line[:MAX_LINE]
            for start in range(MAX_LINE, len(line), MAX_LINE - AGAIN):
                yield f"…{line[start - AGAIN : start - AGAIN + MAX_LINE]}"


def _lines(view: Sequence[MessageEntry], spilled: Path) -> Iterator[str]:
    yield HEAD
    for entry in view:
        for block in entry.message.blocks:
            yield from _part(entry, block, spilled)


def _part(entry: MessageEntry, block: Block, spilled: Path) -> Iterator[str]:
    match block:
        case Text():
            who = "context" if entry.is_meta or entry.is_compact_summary else entry.message.role
            yield from ("", f"=== {who} {entry.uuid}", block.text)
        case ToolUse():
            yield from ("", f"=== call {block.name} {block.id} {entry.uuid}")
            yield from _argument("", block.input)
        case ToolResult():
            error = " error" if block.is_error else ""
            yield from ("", f"=== result{error} {block.tool_use_id} {entry.uuid}", _whole(block, spilled))
        case _:
            return


def _argument(name: str, value: object) -> Iterator[str]:
    """`name: value`, texts as they are; what is nested is named by its way in: `edits[0].old_string: ...`."""
    match value:
        case dict():
            for key, item in value.items():
                yield from _argument(f"{name}.{key}" if name else str(key), item)
        case list():
            for place, item in enumerate(value):
                yield from _argument(f"{name}[{place}]", item)
        case _:
            yield f"{name}: {value}"


def _whole(block: ToolResult, spilled: Path) -> str:
    """The result; where it was too large for the conversation and went to a file, what the file holds."""
    text = block.text
    file = spill_file(spilled, block.tool_use_id)
    try:
        data = read_regular(file, MAX_SPILLED)
    except OSError:
        return text
    return data.decode("utf-8", "replace") if len(data) > len(text) else text
