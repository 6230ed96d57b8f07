"""Read: a page of a text file with line numbers, or a picture."""

import asyncio
import difflib
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from agent.files.picture import PICTURE_BYTES, PICTURE_SIDE, image_block, picture_size, picture_type
from agent.files.regular import read_regular
from agent.process.secrets import mask_text, secret_values
from agent.protocol.details import Details, FileText, PlainText
from agent.protocol.errors import ToolError
from agent.protocol.model import ToolSpec
from agent.protocol.text import counted
from agent.protocol.tools import Access, Subject, ToolContext, ToolOutput
from agent.tools import spec
from agent.tools.fields import Fields
from agent.tools.limits import BYTES_PER_TOKEN, Limits
from agent.tools.pages import Page, read_page
from agent.tools.places import absolute, shown, touched
from agent.tools.text_file import regular_stat


class ReadInput(Struct, frozen=True):
    """A file, the first line (1-based) and how many; None is the default number."""

    file_path: str
    offset: int
    limit: int | None


class Read:
    """Numbered lines (`12<TAB>text`), at most `read_lines` and `read_tokens`; pictures as image blocks; binaries refused."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._spec = spec.tool_spec(
            "Read",
            {
                "file_path": spec.text(),
                "offset": spec.whole("first line, from 1"),
                "limit": spec.whole("number of lines"),
            },
            ["file_path"],
            read_only=True,
        )

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return self._spec

    def parse(self, raw: Mapping[str, object]) -> ReadInput:
        """The call in `raw`; raises InvalidToolInput."""
        fields = Fields("Read", raw)
        return ReadInput(
            file_path=fields.path("file_path"),
            offset=max(1, fields.integer("offset", 1) or 1),
            limit=fields.integer("limit", None, least=1),
        )

    def subject(self, call: ReadInput, cwd: Path) -> Subject:
        """The file, and where its symlinks lead."""
        path = absolute(call.file_path, cwd)
        return Subject(access=Access.READ, title=f"Read {shown(path, cwd)}", paths=touched(path))

    def preview(self, call: ReadInput, context: ToolContext) -> Details | None:
        """Nothing changes."""
        return None

    async def run(self, call: ReadInput, context: ToolContext) -> ToolOutput:
        """Read off the event loop; raises ToolError."""
        return await asyncio.to_thread(self._read, call, context)

    def _read(self, call: ReadInput, context: ToolContext) -> ToolOutput:
        path = absolute(call.file_path, context.cwd)
        found = regular_stat(path)
        if found is None:
            raise ToolError(_missing(path, context.cwd))
        limits = self._limits
        max_bytes = int(limits.read_tokens * BYTES_PER_TOKEN)
        max_line = limits.read_line_chars * 4 + 2  # UTF-8 takes at most four bytes a character
        page = read_page(path, call.offset, call.limit or limits.read_lines, max_bytes, max_line)
        if page.binary:
            return self._picture(path, page.head, found.st_size, context.cwd)
        if self._limits.unchanged_notice and self._seen_whole(path, page, context):
            return ToolOutput(text="The file is unchanged since you last read it.")
        return self._text(path, page, call, context)

    def _text(self, path: Path, page: Page, call: ReadInput, context: ToolContext) -> ToolOutput:
        lines = [line.decode("utf-8", "replace") for line in page.lines]
        cut = [_cut(line, self._limits.read_line_chars) for line in lines]
        end = page.first + len(cut) - 1
        partial = page.first > 1 or end < page.total or cut != lines
        context.read_state.set(path, replace(page.stamp, partial=partial))
        body = "\n".join(f"{number}\t{line}" for number, line in enumerate(cut, page.first))
        notes = _notes(page, call, len(cut), "\ufffd" in body)
        text = mask_text("\n".join([*([body] if cut else []), *notes]), secret_values(context.env))
        details = FileText(
            path=str(path), first_line=page.first, lines=len(cut), total_lines=page.total, truncated=end < page.total
        )
        return ToolOutput(text=text, details=details)

    def _seen_whole(self, path: Path, page: Page, context: ToolContext) -> bool:
        known = context.read_state.get(path)
        return known is not None and not known.partial and known.sha256 == page.stamp.sha256 and page.total > 0

    def _picture(self, path: Path, head: bytes, size: int, cwd: Path) -> ToolOutput:
        kind = picture_type(head)
        if not kind:
            what = "a PDF" if head.startswith(b"%PDF") else "a binary file"
            raise ToolError(
                f"{path} is {what} ({size:,} bytes), which Read cannot show. Use Bash with a fitting program."
            )
        if size > PICTURE_BYTES:
            raise ToolError(
                f"The picture {path} has {size:,} bytes; at most {PICTURE_BYTES:,} can be shown. "
                "Make a smaller copy through Bash and read that."
            )
        try:
            data = read_regular(path, PICTURE_BYTES)
        except OSError as error:
            raise ToolError(f"{path} cannot be read: {error.strerror}.") from error
        width, height = picture_size(data) or (0, 0)
        if not width:
            raise ToolError(f"{path} begins like a picture but is damaged or cut short.")
        if max(width, height) > PICTURE_SIDE:
            raise ToolError(f"{path} is {width}x{height} pixels; at most {PICTURE_SIDE} a side can be shown.")
        line = f"{shown(path, cwd)}: {kind}, {width}x{height}, {len(data):,} bytes"
        return ToolOutput(text=line, details=PlainText(line), images=(image_block(data, kind),))


def _cut(line: str, most: int) -> str:
    return line if len(line) <= most else f"{line[:most]} [... line cut]"


def _notes(page: Page, call: ReadInput, lines: int, lossy: bool) -> list[str]:
    """What the model must know besides the lines, each in brackets."""
    notes = []
    end = page.first + lines - 1
    if page.total == 0:
        notes.append("[The file is empty.]")
    elif lines == 0:
        notes.append(f"[The file has {counted(page.total, 'line')}; line {page.first} is past its end.]")
    elif end < page.total and (call.limit is None or lines < call.limit):
        notes.append(f"[PARTIAL view: lines {page.first}-{end} of {page.total}. Go on with offset={end + 1}.]")
    elif end < page.total:
        notes.append(f"[Lines {page.first}-{end} of {page.total}.]")
    if lossy:
        notes.append("[Some bytes are not valid UTF-8 and are shown as \ufffd.]")
    return notes


def _missing(path: Path, cwd: Path) -> str:
    """That there is no such file, and what may have been meant."""
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return f"{path} does not exist. The working directory is {cwd}."
    near = difflib.get_close_matches(path.name, names, n=1)
    hint = f" Did you mean {path.parent / near[0]}?" if near else f" The working directory is {cwd}."
    return f"{path} does not exist.{hint}"
