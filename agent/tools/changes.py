"""What Edit and Write share: the file they may change, and the change written and remembered."""

import os
import re
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from agent.files.atomic import write_atomic
from agent.process.secrets import mask_text, secret_values
from agent.protocol.details import FileDiff
from agent.protocol.errors import FilesError, ToolError
from agent.protocol.tools import FileStamp, ToolContext
from agent.tools.diff import file_diff
from agent.tools.read_state import stamp_of
from agent.tools.text_file import TextFile, decode, load

_ESCAPED = re.compile("[\ud800-\udfff]")


class Standing(Struct, frozen=True):
    """A file as it is now: its text, its stamp, and what the model knew of it (None = never read)."""

    file: TextFile
    stamp: FileStamp
    known: FileStamp | None

    @property
    def changed(self) -> bool:
        """Whether its bytes differ from those the model knew."""
        return self.known is not None and self.known.sha256 != self.stamp.sha256


def standing(path: Path, context: ToolContext) -> Standing | None:
    """The text file at `path`, None when there is none; raises ToolError for anything that is no text file."""
    loaded = load(path)
    if loaded is None:
        return None
    data, found = loaded
    file = decode(data)
    if file is None:
        raise ToolError(f"{path} is a binary file.")
    return Standing(file=file, stamp=stamp_of(data, found), known=context.read_state.get(path))


def difference(path: Path, before: Standing | None, after: str, context: ToolContext) -> FileDiff:
    """What the change to `after` looks like to a person: keys masked, undecodable bytes as U+FFFD."""
    secrets = secret_values(context.env)
    old = None if before is None else mask_text(readable(before.file.text), secrets)
    return file_diff(str(path), old, mask_text(readable(after), secrets))


def readable(text: str) -> str:
    """`text` with the mark that Read shows for every byte that is no text."""
    return _ESCAPED.sub("\N{REPLACEMENT CHARACTER}", text)


def save(path: Path, file: TextFile, context: ToolContext, *, partial: bool = False) -> None:
    """Write `file` to `path` (parents are made) and remember it as read; `partial` says that the model has not seen all of it."""
    try:
        data = file.to_bytes()
    except UnicodeEncodeError as error:
        raise ToolError(f"{path} is {file.encoding}, which cannot hold some of the new characters.") from error
    context.before_write(Path(os.path.realpath(path)))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)
        found = path.stat()
    except FilesError as error:
        raise ToolError(error.line) from error
    except OSError as error:
        raise ToolError(f"Could not write {path}: {error.strerror}. What was there is untouched.") from error
    context.read_state.set(path, replace(stamp_of(data, found), partial=partial))
