"""Write: a whole file, new or over one that was read."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from agent.protocol.details import Details
from agent.protocol.errors import ToolError
from agent.protocol.model import ToolSpec
from agent.protocol.text import counted
from agent.protocol.tools import Access, Subject, ToolContext, ToolOutput
from agent.tools import spec
from agent.tools.changes import Standing, difference, save, standing
from agent.tools.fields import Fields
from agent.tools.places import absolute, shown, touched
from agent.tools.replacement import to_lf
from agent.tools.text_file import TextFile


class WriteInput(Struct, frozen=True):
    """A file and all it shall hold."""

    file_path: str
    content: str


class Write:
    """Byte-exact for a new file; over an old one its line endings, mark and mode stay. What the model has not seen is not overwritten."""

    def __init__(self) -> None:
        properties = {"file_path": spec.text(), "content": spec.text()}
        self._spec = spec.tool_spec("Write", properties, ["file_path", "content"])

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return self._spec

    def parse(self, raw: Mapping[str, object]) -> WriteInput:
        """The call in `raw`; raises InvalidToolInput."""
        fields = Fields("Write", raw)
        return WriteInput(file_path=fields.path("file_path"), content=fields.text("content", blank=True))

    def subject(self, call: WriteInput, cwd: Path) -> Subject:
        """The file, and where its symlinks lead."""
        path = absolute(call.file_path, cwd)
        return Subject(access=Access.WRITE, title=f"Write {shown(path, cwd)}", paths=touched(path))

    def preview(self, call: WriteInput, context: ToolContext) -> Details | None:
        """The change it would make; None when it would be refused."""
        path = absolute(call.file_path, context.cwd)
        try:
            before = _allowed(path, context)
        except ToolError:
            return None
        return difference(path, before, _styled(before, call.content).text, context)

    async def run(self, call: WriteInput, context: ToolContext) -> ToolOutput:
        """Write off the event loop; raises ToolError, and then the file is as it was."""
        return await asyncio.to_thread(_write, call, context)


def _write(call: WriteInput, context: ToolContext) -> ToolOutput:
    path = absolute(call.file_path, context.cwd)
    before = _allowed(path, context)
    file = _styled(before, call.content)
    save(path, file, context)
    count = call.content.count("\n") + (not call.content.endswith("\n") and call.content != "")
    verb = "Created" if before is None else "Updated"
    notes = [] if before is None else _notes(before.file, file, call.content)
    text = " ".join([f"{verb} {shown(path, context.cwd)} ({counted(count, 'line')}).", *notes])
    return ToolOutput(text=text, details=difference(path, before, file.text, context))


def _allowed(path: Path, context: ToolContext) -> Standing | None:
    """What stands at `path`; raises ToolError when it may not be overwritten."""
    before = standing(path, context)
    if before is None or not before.stamp.size:
        return before
    if before.known is None:
        raise ToolError(f"{path} exists and you have not read it. Read it first.")
    if before.changed:
        raise ToolError(f"{path} has changed since you read it. Read it again before you overwrite it.")
    if before.known.partial:
        raise ToolError(f"You have read only a part of {path}. Read all of it before you overwrite it, or use Edit.")
    return before


def _styled(before: Standing | None, content: str) -> TextFile:
    """`content` with the encoding, mark and line endings of the file that stands there."""
    if before is None:
        return TextFile(text=content)
    old = before.file
    text = to_lf(content).replace("\n", "\r\n") if old.newline == "\r\n" else content
    return replace(old, text=text.removeprefix("\ufeff") if old.bom else text)


def _notes(old: TextFile, new: TextFile, content: str) -> list[str]:
    """What differs from `content`, or from what the file was."""
    notes = []
    if new.text != content and new.newline == "\r\n":
        notes.append("Its CRLF line endings were kept.")
    if old.bom:
        notes.append(f"Its {old.encoding.upper()} byte-order mark was kept.")
    if not old.is_utf8:
        notes.append("It was not UTF-8 before and is now.")
    return notes
