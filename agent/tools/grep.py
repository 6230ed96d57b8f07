"""Grep: ripgrep over files, as file names, lines or counts."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from agent.protocol.details import Details, Matches
from agent.protocol.errors import InvalidToolInput, ToolError
from agent.protocol.model import ToolSpec
from agent.protocol.text import counted
from agent.protocol.tools import Access, Subject, ToolContext, ToolOutput
from agent.tools import spec
from agent.tools.fields import Fields
from agent.tools.globs import last_part, matcher, split_patterns
from agent.tools.limits import Limits, spill_result
from agent.tools.matches import by_time, content_lines, count_lines
from agent.tools.places import absolute, shown, touched
from agent.tools.rg import Found, run_rg, unreadable_note
from agent.tools.search_root import SearchRoot, plain, search_root, shown_paths

FILES, CONTENT, COUNT = "files_with_matches", "content", "count"
_MODES = (FILES, CONTENT, COUNT)
_NOTHING = "No matches found. (Binary files and files excluded by .gitignore are not searched; name an ignored folder in path to search it.)"


class GrepInput(Struct, frozen=True):
    """One search; `head_limit` None is the default, 0 none at all."""

    pattern: str
    path: str | None
    glob: tuple[str, ...]
    type: str | None
    mode: str
    ignore_case: bool
    numbers: bool
    before: int
    after: int
    head_limit: int | None
    offset: int
    multiline: bool


class Grep:
    """Regular expressions over a folder; hidden files count, ignored ones do not, rg's refusals are told."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        properties = {
            "pattern": spec.text("regular expression"),
            "path": spec.text("file or folder"),
            "glob": spec.text("such as *.py"),
            "type": spec.text("such as py"),
            "output_mode": spec.one_of(_MODES),
            "-i": spec.switch("ignore case"),
            "-n": spec.switch("line numbers, default true"),
            "-A": spec.whole(),
            "-B": spec.whole(),
            "-C": spec.whole("lines around, in content mode"),
            "head_limit": spec.whole("0 = all"),
            "offset": spec.whole("results to skip"),
            "multiline": spec.switch("match across lines"),
        }
        self._spec = spec.tool_spec("Grep", properties, ["pattern"], read_only=True)

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return self._spec

    def parse(self, raw: Mapping[str, object]) -> GrepInput:
        """The call in `raw`; raises InvalidToolInput."""
        fields = Fields("Grep", raw)
        around = fields.integer("-C", fields.integer("context", 0)) or 0
        kind = fields.text("type", "", blank=True)
        if kind and not kind.isalnum():
            raise InvalidToolInput("Grep: `type` must be a name such as py, js or rust.")
        globs = tuple(split_patterns(fields.text("glob", "", blank=True)))
        matcher(globs)
        return GrepInput(
            pattern=fields.text("pattern"),
            path=fields.path("path", "") or None,
            glob=globs,
            type=kind or None,
            mode=fields.choice("output_mode", _MODES, FILES),
            ignore_case=fields.flag("-i", False),
            numbers=fields.flag("-n", True),
            before=fields.integer("-B", around) or 0,
            after=fields.integer("-A", around) or 0,
            head_limit=fields.integer("head_limit", None),
            offset=fields.integer("offset", 0) or 0,
            multiline=fields.flag("multiline", False),
        )

    def subject(self, call: GrepInput, cwd: Path) -> Subject:
        """The folder or file searched."""
        path = cwd if call.path is None else absolute(call.path, cwd)
        where = "" if path == cwd else f" in {shown(path, cwd)}"
        return Subject(access=Access.READ, title=f"Grep {call.pattern}{where}", paths=touched(path))

    def preview(self, call: GrepInput, context: ToolContext) -> Details | None:
        """Nothing changes."""
        return None

    async def run(self, call: GrepInput, context: ToolContext) -> ToolOutput:
        """Search; raises ToolError with rg's words when the pattern or the place is wrong."""
        root = search_root(call.path, context.cwd)
        limit = self._limits.grep_lines if call.head_limit is None else call.head_limit
        found = await _search(call, root, context, self._limits.grep_columns, self._enough(call, limit))
        return await asyncio.to_thread(self._output, call, root, found, limit, context)

    def _enough(self, call: GrepInput, limit: int) -> int | None:
        """Bytes of output that surely hold the lines wanted; None when all must be seen."""
        filtered_here = any("/" in glob for glob in call.glob) or (call.glob and not _name_filter(call.glob))
        if call.mode != CONTENT or limit == 0 or filtered_here:
            return None
        return (call.offset + limit + 1) * (self._limits.grep_columns * 4 + 300)

    def _output(self, call: GrepInput, root: SearchRoot, found: Found, limit: int, context: ToolContext) -> ToolOutput:
        rows, files, hits = _rows(call, root, found.output, context)
        page = rows[call.offset : call.offset + limit if limit else None]
        more = len(rows) - call.offset - len(page)
        notes = unreadable_note(found)
        if call.mode == COUNT and rows:
            notes.insert(0, f"{counted(hits, 'matching line')} in {counted(files, 'file')}.")
        if more > 0 or found.cut:
            of = "" if found.cut else f" of {len(rows)}"
            notes.insert(
                0,
                f"[Results {call.offset + 1}-{call.offset + len(page)}{of}; go on with offset={call.offset + len(page)}.]",
            )
        lines = [*(page or [_nothing(rows, call)]), *notes]
        text = spill_result("\n".join(lines), self._limits.result_chars, context.spill_dir, context.tool_use_id)
        details = Matches(
            pattern=call.pattern, files=files, hits=hits, lines=tuple(page[:100]), truncated=more > 0 or found.cut
        )
        return ToolOutput(text=text, details=details)


async def _search(call: GrepInput, root: SearchRoot, context: ToolContext, columns: int, enough: int | None) -> Found:
    arguments = _arguments(call, columns)
    try:
        return await run_rg(arguments, root, context, enough=enough)
    except ToolError as error:
        if not any(word in str(error) for word in ("look-around", "backreferences")):
            raise
        return await run_rg(["--pcre2", *arguments], root, context, enough=enough)


def _arguments(call: GrepInput, columns: int) -> list[str]:
    shape = {
        FILES: ["--files-with-matches"],
        COUNT: ["--count"],
        CONTENT: [
            "--line-number" if call.numbers else "--no-line-number",
            f"--before-context={call.before}",
            f"--after-context={call.after}",
            f"--max-columns={columns}",
            "--max-columns-preview",
            "--no-heading",
        ],
    }
    switches = {
        "--ignore-case": call.ignore_case,
        "--multiline": call.multiline,
        "--multiline-dotall": call.multiline,
    }
    names = [f"--type={call.type}"] if call.type else _name_filter(call.glob)
    chosen = [switch for switch, on in switches.items() if on]
    return ["--null", "--with-filename", *shape[call.mode], *chosen, *names, f"--regexp={call.pattern}"]


def _name_filter(globs: tuple[str, ...]) -> list[str]:
    """Arguments that let rg skip most files that no glob fits; rg's own --glob would bring ignored files back."""
    names = [last_part(glob) for glob in globs]
    if not names or None in names or any(glob.startswith("!") for glob in globs):
        return []
    return [*(f"--type-add=wanted:{name}" for name in names), "--type=wanted"]


def _rows(call: GrepInput, root: SearchRoot, output: str, context: ToolContext) -> tuple[list[str], int, int]:
    """The result lines of all pages, the number of files and of hits."""
    fits = _filter(call, root)

    def keep(name: str) -> bool:
        return fits(name) and bool(shown_paths((name,), context))

    if call.mode == CONTENT:
        return content_lines(output, keep, named=not root.is_file, numbered=call.numbers)
    if call.mode == COUNT:
        return count_lines(output, keep)
    listed = [name for name in output.split("\0") if name and fits(name)]
    names = [plain(name) for name in by_time(shown_paths(listed, context), context.cwd)]
    return names, len(names), len(names)


def _filter(call: GrepInput, root: SearchRoot) -> Callable[[str], bool]:
    if not call.glob or root.is_file:
        return lambda _path: True
    fits = matcher(call.glob)
    return lambda path: fits(path.removeprefix(root.prefix))


def _nothing(rows: list[str], call: GrepInput) -> str:
    return f"[{counted(len(rows), 'result')} in all; offset {call.offset} is past their end.]" if rows else _NOTHING
