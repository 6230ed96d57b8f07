"""Glob: files by the shape of their path, the newest first."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from agent.protocol.details import Details, Matches
from agent.protocol.errors import ToolError
from agent.protocol.model import ToolSpec
from agent.protocol.tools import Access, Subject, ToolContext, ToolOutput
from agent.tools import spec
from agent.tools.fields import Fields
from agent.tools.globs import last_part, matcher
from agent.tools.limits import Limits
from agent.tools.matches import by_time
from agent.tools.places import absolute, shown, touched
from agent.tools.rg import Found, run_rg, unreadable_note
from agent.tools.search_root import SearchRoot, plain, search_root, shown_paths

_SPECIAL = frozenset("*?[{\\")


class GlobInput(Struct, frozen=True):
    """A pattern and the folder it is meant from (None = the working directory), as given; and where to look for what.

    The plain folders at the beginning of a pattern need no search: `/repo/src/**/*.py` is `**/*.py` in `/repo/src`.
    """

    pattern: str
    path: str | None
    folder: str
    rest: str


class Glob:
    """Files that fit a pattern; hidden files count, ignored ones do not."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        properties = {"pattern": spec.text("such as src/**/*.ts"), "path": spec.text("folder")}
        self._spec = spec.tool_spec("Glob", properties, ["pattern"], read_only=True)

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return self._spec

    def parse(self, raw: Mapping[str, object]) -> GlobInput:
        """The call in `raw`; raises InvalidToolInput."""
        fields = Fields("Glob", raw)
        pattern, path = fields.path("pattern").strip(), fields.path("path", "") or None
        parts = pattern.split("/")
        plain = next((at for at, part in enumerate(parts[:-1]) if _SPECIAL & set(part)), len(parts) - 1)
        folder = str(Path(path or ".", "/".join(parts[:plain]) or ("/" if plain else ".")))
        rest = "/".join(["", *parts[plain:]] if plain else parts)
        matcher([rest])
        return GlobInput(pattern=pattern, path=path, folder=folder, rest=rest)

    def subject(self, call: GlobInput, cwd: Path) -> Subject:
        """The folder searched."""
        where = "" if call.path is None else f" in {shown(absolute(call.path, cwd), cwd)}"
        return Subject(
            access=Access.READ, title=f"Glob {call.pattern}{where}", paths=touched(absolute(call.folder, cwd))
        )

    def preview(self, call: GlobInput, context: ToolContext) -> Details | None:
        """Nothing changes."""
        return None

    async def run(self, call: GlobInput, context: ToolContext) -> ToolOutput:
        """List the files; raises ToolError."""
        if search_root(call.path, context.cwd).is_file:
            raise ToolError(f"{call.path} is a file, not a folder.")
        if not os.path.isdir(absolute(call.folder, context.cwd)):
            return ToolOutput(text=f"No files found: there is no folder {call.folder}")
        root = search_root(call.folder, context.cwd)
        name = last_part(call.rest)
        narrow = [f"--type-add=wanted:{name}", "--type=wanted"] if name else []
        found = await run_rg(["--files", "--null", *narrow], root, context)
        return await asyncio.to_thread(self._output, call, root, found, context)

    def _output(self, call: GlobInput, root: SearchRoot, found: Found, context: ToolContext) -> ToolOutput:
        fits = matcher([call.rest])
        prefix = len(root.prefix)
        listed = [name for name in found.output.split("\0") if name and fits(name[prefix:])]
        names = by_time(shown_paths(listed, context), context.cwd)
        page = [plain(name) for name in names[: self._limits.glob_files]]
        lines = page or ["No files found"]
        if len(names) > len(page):
            lines = [*lines, f"[{len(page)} of {len(names)} files, newest first; use a narrower pattern or path.]"]
        details = Matches(
            pattern=call.pattern, files=len(names), hits=len(names), lines=tuple(page), truncated=len(names) > len(page)
        )
        return ToolOutput(text="\n".join([*lines, *unreadable_note(found)]), details=details)
