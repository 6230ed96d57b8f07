"""The conversation as a text file beside its transcript: what a compaction takes out of sight can be searched and read with exact bytes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from agent.compact.ptl_retry import result_text
from agent.files.atomic import write_atomic
from agent.protocol.blocks import Block, Text, ToolResult, ToolUse
from agent.protocol.errors import FilesError
from agent.transcript.entries import MessageEntry

FOLDER = "compacted"


def record_folder(transcript: Path) -> Path:
    """Where the readable records of a session are, one file for each compaction."""
    return transcript.with_suffix("") / FOLDER


def write_record(view: Sequence[MessageEntry], transcript: Path) -> Path:
    """Writes what the model has seen (0600 in 0700) and returns the file; where the disk refuses, the transcript is the place. Blocks.

    The transcript holds the same words, but as JSON: what is searched there must be escaped first.
    """
    file = _record_file(view, transcript)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(file, "\n".join(_lines(view)).encode("utf-8", "replace"), mode=0o600)
    except (OSError, FilesError):
        return transcript
    return file


@contextmanager
def taken_back_unless_done(view: Sequence[MessageEntry], transcript: Path) -> Iterator[None]:
    """A record that is written inside goes away again, with its folders, when the compaction does not happen."""
    file = _record_file(view, transcript)
    was_there = file.exists()
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


def _lines(view: Sequence[MessageEntry]) -> Iterator[str]:
    yield "The conversation before it was compacted, oldest first. Each part begins with a line of === and the id of its record."
    for entry in view:
        for block in entry.message.blocks:
            yield from _part(entry, block)


def _part(entry: MessageEntry, block: Block) -> Iterator[str]:
    match block:
        case Text():
            who = "context" if entry.is_meta or entry.is_compact_summary else entry.message.role
            yield from ("", f"=== {who} {entry.uuid}", block.text)
        case ToolUse():
            yield from ("", f"=== call {block.name} {block.id} {entry.uuid}")
            for name, value in block.input.items():
                yield f"{name}: {value}"
        case ToolResult():
            error = " error" if block.is_error else ""
            yield from ("", f"=== result{error} {block.tool_use_id} {entry.uuid}", result_text(block))
        case _:
            return
