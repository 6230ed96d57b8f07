"""Edit: one quoted text of a file replaced by another, exactly."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from agent.process.secrets import mask_text, secret_values
from agent.protocol.details import Details
from agent.protocol.errors import InvalidToolInput, ToolError
from agent.protocol.model import ToolSpec
from agent.protocol.tools import Access, Subject, ToolContext, ToolOutput
from agent.tools import spec
from agent.tools.changes import Standing, difference, readable, save, standing
from agent.tools.fields import Fields
from agent.tools.near_miss import explain
from agent.tools.places import absolute, shown, touched
from agent.tools.replacement import Replaced, occurrences, replace_at, to_lf
from agent.tools.text_file import TextFile

_AROUND = 2  # lines shown before and after a change
_SHOWN = 10  # lines shown at most


class EditInput(Struct, frozen=True):
    """A file, the text to find (empty makes a new file), the text to put there, and whether everywhere."""

    file_path: str
    old_string: str
    new_string: str
    replace_all: bool


class _Planned(Struct, frozen=True):
    """A change not yet made: what stands (None = a new file), what shall stand, and where."""

    before: Standing | None
    after: TextFile
    replaced: Replaced


class Edit:
    """Exact and unique, of a file that was read; line endings, mark, mode and undecodable bytes stay as they are."""

    def __init__(self) -> None:
        self._spec = spec.tool_spec(
            "Edit",
            {
                "file_path": spec.text(),
                "old_string": spec.text(),
                "new_string": spec.text(),
                "replace_all": spec.switch("every occurrence"),
            },
            ["file_path", "old_string", "new_string"],
        )

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return self._spec

    def parse(self, raw: Mapping[str, object]) -> EditInput:
        """The call in `raw`; raises InvalidToolInput."""
        fields = Fields("Edit", raw)
        call = EditInput(
            file_path=fields.path("file_path"),
            old_string=fields.text("old_string", blank=True),
            new_string=fields.text("new_string", blank=True),
            replace_all=fields.flag("replace_all", False),
        )
        if call.old_string == call.new_string:
            raise InvalidToolInput("Edit: old_string and new_string are the same.")
        return call

    def subject(self, call: EditInput, cwd: Path) -> Subject:
        """The file, and where its symlinks lead."""
        path = absolute(call.file_path, cwd)
        return Subject(access=Access.WRITE, title=f"Edit {shown(path, cwd)}", paths=touched(path))

    def preview(self, call: EditInput, context: ToolContext) -> Details | None:
        """The change it would make; None when it would be refused."""
        path = absolute(call.file_path, context.cwd)
        try:
            planned = _plan(path, call, context)
        except ToolError:
            return None
        return difference(path, planned.before, planned.after.text, context)

    async def run(self, call: EditInput, context: ToolContext) -> ToolOutput:
        """Make the change off the event loop; raises ToolError, and then the file is as it was."""
        return await asyncio.to_thread(_edit, call, context)


def _edit(call: EditInput, context: ToolContext) -> ToolOutput:
    path = absolute(call.file_path, context.cwd)
    planned = _plan(path, call, context)
    before = planned.before
    save(path, planned.after, context, partial=before is not None and _unseen(before))
    lines = [mask_text(readable(_told(path, call, planned, context.cwd)), secret_values(context.env))]
    if before is not None and before.changed:
        lines.append("The file had changed since you read it; Read it again before you rely on its other parts.")
    return ToolOutput(text="\n".join(lines), details=difference(path, before, planned.after.text, context))


def _plan(path: Path, call: EditInput, context: ToolContext) -> _Planned:
    """The change that `call` asks for; raises ToolError when it may not or cannot be made."""
    before = standing(path, context)
    if before is None or (not call.old_string and not before.file.text):
        return _plan_new(path, call, before)
    if not call.old_string:
        raise ToolError(f"{path} exists. An empty old_string only makes a new file.")
    if before.known is None:
        raise ToolError(f"You have not read {path}. Read it first.")
    if not before.file.is_utf8 and not call.new_string.isascii():
        raise ToolError(f"{path} is not UTF-8, so only ASCII text can be put into it. Use Bash for other characters.")
    text, old = to_lf(before.file.text), to_lf(call.old_string)
    found = occurrences(text, old)
    _check(path, found, call, before, text, secret_values(context.env))
    replaced = replace_at(before.file.text, found, old, to_lf(call.new_string))
    return _Planned(before=before, after=replace(before.file, text=replaced.text), replaced=replaced)


def _plan_new(path: Path, call: EditInput, before: Standing | None) -> _Planned:
    if call.old_string:
        raise ToolError(f"{path} does not exist.")
    file = TextFile(text=call.new_string) if before is None else replace(before.file, text=call.new_string)
    return _Planned(before=before, after=file, replaced=Replaced(text=call.new_string, starts=(0,)))


def _check(
    path: Path, found: list[int], call: EditInput, before: Standing, text: str, secrets: tuple[str, ...]
) -> None:
    """Refuse what is not there, not unique, or no longer sure."""
    stale = " The file has changed since you read it: Read it again." if before.changed else ""
    if not found:
        why = (
            stale
            or mask_text(explain(to_lf(call.old_string), text), secrets)
            or "Read the part you want to change again."
        )
        raise ToolError(f"old_string is not in {path}. {why.strip()}")
    if before.changed and (len(found) > 1 or call.replace_all):
        raise ToolError(f"{path} has changed since you read it. Read it again.")
    if len(found) > 1 and not call.replace_all:
        lines = ", ".join(str(_line(text, at)) for at in found[:10]) + (", ..." if len(found) > 10 else "")
        raise ToolError(
            f"old_string is {len(found)} times in {path} (lines {lines}). "
            "Quote more around the one you mean, or set replace_all."
        )


def _told(path: Path, call: EditInput, planned: _Planned, cwd: Path) -> str:
    """What was done, and for one place the lines around it."""
    name = shown(path, cwd)
    if planned.before is None:
        return f"Created {name}."
    if len(planned.replaced.starts) > 1:
        return f"Replaced {len(planned.replaced.starts)} occurrences in {name}."
    text = to_lf(planned.after.text)
    start = planned.replaced.starts[0]
    first = _line(text, start) - _AROUND
    last = _line(text, start + len(to_lf(call.new_string))) + _AROUND
    lines = text.removesuffix("\n").split("\n")
    numbers = range(max(1, first), min(len(lines), last) + 1)
    rows = [f"{number}\t{lines[number - 1][:200]}" for number in numbers]
    if len(rows) > _SHOWN:
        rows = [*rows[: _SHOWN // 2], "...", *rows[-_SHOWN // 2 :]]
    return "\n".join([f"Edited {name}:", *rows])


def _unseen(before: Standing) -> bool:
    """Whether parts of the file are not known to the model."""
    return before.changed or (before.known is not None and before.known.partial)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
