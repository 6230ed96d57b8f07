"""Recently used files, given back to the model after a compaction (notes: at most 5 files, 50K tokens)."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from agent.attachments.at_file import attached_path
from agent.files.regular import read_regular
from agent.prompts.reminder import reminder_message
from agent.protocol.blocks import Text
from agent.protocol.messages import Message
from agent.protocol.tools import FileStamp
from agent.tokens.features import estimate_text
from agent.tools.read_state import FileReadState, stamp_of
from agent.transcript.entries import MessageEntry

MAX_FILES = 5  # design note 001, post-compact restore
TOTAL_TOKENS = 50_000
FILE_TOKENS = 10_000
WINDOW_SHARE = 5  # in a small window never more than a fifth of it
MAX_BYTES = 1_000_000  # a larger file is not read back at all

_ATTACHMENT = re.compile(r"Content of (.+) as it is on disk now")


class Restored(Struct, frozen=True):
    """One file given back, as the message that carries it; `stamp` is of the bytes in that message."""

    path: Path
    message: Message
    stamp: FileStamp


def restore_files(
    read_state: FileReadState, *, window: int, tokenizer: str, may_read: Callable[[Path], bool]
) -> tuple[Restored, ...]:
    """Up to five recently read or written text files, newest first, within the budget for `window` tokens.

    Binary, huge, vanished and denied files are passed over. Whoever puts a file before the model must give `read_state` its stamp, so
    that an edit is judged against what the model then sees; other stamps stay and stay valid only for unchanged bytes.
    """
    left = min(TOTAL_TOKENS, window // WINDOW_SHARE)
    restored: list[Restored] = []
    for path in read_state.recent():
        if len(restored) == MAX_FILES or left <= 0:
            break
        if not may_read(path) or (found := _readable_text(path)) is None:
            continue
        text, stamp = found
        shown, partial = head_within(text, min(FILE_TOKENS, left), tokenizer)
        if not shown:
            continue
        left -= estimate_text(shown, tokenizer)
        message = reminder_message(_attachment(path, shown, partial))
        restored.append(Restored(path=path, message=message, stamp=msgspec.structs.replace(stamp, partial=partial)))
    return tuple(restored)


def shown_whole(kept: Sequence[MessageEntry]) -> frozenset[str]:
    """The files that kept messages show as a whole: an edit, or a look at some lines, is not enough to go on with."""
    called = (
        path
        for entry in kept
        for call in entry.message.tool_uses
        if call.name in ("Read", "Write") and not {"offset", "limit"} & call.input.keys()
        if isinstance(path := call.input.get("file_path"), str)
    )
    attached = (
        path
        for entry in kept
        for block in entry.message.blocks
        if entry.is_meta and isinstance(block, Text) and (path := attached_path(block.text, whole=True))
    )
    return frozenset((*called, *attached))


def _readable_text(path: Path) -> tuple[str, FileStamp] | None:
    try:
        found = path.stat()
        data = read_regular(path, MAX_BYTES)
        return None if b"\0" in data else (data.decode("utf-8"), stamp_of(data, found))
    except (OSError, UnicodeDecodeError):
        return None


def head_within(text: str, limit: int, tokenizer: str) -> tuple[str, bool]:
    """The head of `text` that fits `limit` tokens, on a line end, and whether something was cut."""
    size = estimate_text(text, tokenizer)
    if size <= limit:
        return text, False
    head = text[: len(text) * max(0, limit) * 9 // (10 * size)]
    return head[: head.rfind("\n") + 1], True


def _attachment(path: Path, text: str, partial: bool) -> str:
    note = " (its beginning; Read it for the rest)" if partial else ""
    return f"Content of {path} as it is on disk now, kept across the compaction{note}:\n\n{text}"


def restored_path(text: str) -> str | None:
    """The file that such a message gives back; None for any other."""
    found = _ATTACHMENT.match(text)
    return found[1] if found else None
