"""What the offline model understands: phrases to tasks, and each task's next move from the steps already taken."""

import re
from collections.abc import Callable
from pathlib import PurePosixPath

import msgspec

from agent.rehearsal.replies import ToolUse
from agent.rehearsal.wire import Json, first_line

QUOTED_LINES = 12
"""Lines of a result that an answer quotes."""


class Step(msgspec.Struct, frozen=True):
    """A finished tool call of the current turn."""

    name: str
    input: Json
    result: str
    failed: bool


class Task(msgspec.Struct, frozen=True):
    """Tool calls to make one after another, and what to say at the end."""

    calls: tuple[ToolUse, ...]
    done: Callable[[Step], str]

    def next(self, steps: list[Step]) -> tuple[ToolUse | str, int]:
        """The next call or the closing words, and how many of the steps belong to this task."""
        for number, call in enumerate(self.calls):
            if number >= len(steps):
                return call, number
            if steps[number].failed:
                return f"{call.name} did not succeed: {first_line(steps[number].result)}", number + 1
        return self.done(steps[len(self.calls) - 1]), len(self.calls)


TICKS = re.compile("`+")
THEN = re.compile(r"(?:[,;.]?\s+(?:and\s+)?then\s+|\s*;\s+|\n+)", re.IGNORECASE)
WORD = r"""(?:"(?P<{0}q>[^"]+)"|'(?P<{0}a>[^']+)'|`(?P<{0}b>[^`]+)`|(?P<{0}>{1}))"""


def _phrase(pattern: str, /, **slots: str) -> re.Pattern[str]:
    for name, bare in slots.items():
        pattern = pattern.replace(f"<{name}>", WORD.format(name, bare))
    return re.compile(rf"\s*(?:please\s+)?{pattern}\s*[.!?]?\s*\Z", re.IGNORECASE | re.DOTALL)


PATH = r"[^\s\"'`]+?"
TEXT = r".+?"

REPLACE = _phrase(r"(?:replace|change)\s+<old>\s+(?:by|with|to)\s+<new>\s+in\s+(?:the\s+)?(?:file\s+)?<path>",
                  old=TEXT, new=TEXT, path=PATH)  # fmt: skip
WRITE = _phrase(r"(?:write|create)\s+(?:a\s+|the\s+)?(?:file\s+)?<path>\s+(?:with|containing)\s+(?:the\s+)?(?:text\s+)?<text>",
                path=PATH, text=r".+")  # fmt: skip
RUN = _phrase(r"(?:run|execute)\s+(?:the\s+)?(?:command\s+)?<command>", command=r".+")
LIST = _phrase(r"(?:list|glob|show)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:files?\b)?(?:\s*(?:in|matching|like|of)\s+)?\s*<pattern>?",
               pattern=PATH)  # fmt: skip
FIND = _phrase(
    r"(?:find|search(?:\s+for)?|grep(?:\s+for)?)\s+(?:the\s+)?(?:text\s+)?<text>(?:\s+in\s+<path>)?",
    text=TEXT,
    path=PATH,
)
READ = _phrase(r"(?:read|open|cat|show|print)\s+(?:me\s+)?(?:the\s+)?(?:file\s+)?<path>", path=PATH)


def read_tasks(request: str, directory: str) -> list[Task]:
    """The tasks that a request names, in order; none when any part of it is not understood."""
    whole = _task(request, directory) if "\n" in request or ";" in request else None
    if whole is not None and WRITE.match(request):
        return [whole]
    tasks = [_task(clause, directory) for clause in THEN.split(request) if clause.strip()]
    return [task for task in tasks if task is not None] if all(task is not None for task in tasks) else []


def _task(clause: str, directory: str) -> Task | None:
    makers = ((REPLACE, _replace), (WRITE, _write), (RUN, _run), (READ, _read), (LIST, _list), (FIND, _find))
    for pattern, make in makers:
        found = pattern.match(clause)
        if found and not (pattern is READ and _is_list(found)):
            return make(found, directory)
    return None


def _is_list(found: re.Match[str]) -> bool:
    return found.group(0).split()[0].lower() == "show" and ("*" in found.group(0) or "files" in found.group(0).split())


def _read(found: re.Match[str], directory: str) -> Task:
    path = absolute(slot(found, "path"), directory)
    return Task((ToolUse("Read", {"file_path": path}),), lambda step: f"{path} begins:\n{quote(step.result)}")


def _find(found: re.Match[str], directory: str) -> Task:
    wanted = slot(found, "text")
    where = absolute(slot(found, "path") or ".", directory)
    call = ToolUse("Grep", {"pattern": re.escape(wanted), "path": where, "output_mode": "content", "-n": True})
    return Task((call,), lambda step: f"Lines with {wanted!r}:\n{quote(step.result)}")


def _list(found: re.Match[str], directory: str) -> Task:
    pattern = slot(found, "pattern") or "**/*"
    if not set(pattern) & set("*?["):
        pattern = pattern.rstrip("/") + "/**/*" if pattern not in (".", "./") else "**/*"
    call = ToolUse("Glob", {"pattern": pattern, "path": directory})
    return Task((call,), lambda step: f"Files like {code_span(pattern)}:\n{quote(step.result)}")


def _replace(found: re.Match[str], directory: str) -> Task:
    path, old, new = absolute(slot(found, "path"), directory), slot(found, "old"), slot(found, "new")
    edit = ToolUse("Edit", {"file_path": path, "old_string": old, "new_string": new})
    return Task((ToolUse("Read", {"file_path": path}), edit), lambda step: f"Replaced {old!r} by {new!r} in {path}.")


def _write(found: re.Match[str], directory: str) -> Task:
    path = absolute(slot(found, "path"), directory)
    content = slot(found, "text")
    call = ToolUse("Write", {"file_path": path, "content": content.rstrip("\n") + "\n"})
    return Task((call,), lambda step: f"Wrote {path}.")


def _run(found: re.Match[str], directory: str) -> Task:
    command = slot(found, "command")
    call = ToolUse("Bash", {"command": command, "description": "What the user asked to run"})
    return Task((call,), lambda step: f"{code_span(command)} said:\n{quote(step.result)}")


def slot(found: re.Match[str], name: str) -> str:
    """What stands in a slot of a phrase, without its quotes."""
    groups = found.groupdict()
    return next((value for suffix in ("q", "a", "b", "") if (value := groups.get(name + suffix))), "")


def absolute(path: str, directory: str) -> str:
    """A path from the working directory on; the @ that attaches a file is no part of it."""
    return str(PurePosixPath(directory) / path.removeprefix("@"))


def code_span(text: str) -> str:
    """`text` as Markdown code, in one line."""
    ticks = _ticks(text, least=1)
    line = " ".join(text.split())
    return f"{ticks} {line} {ticks}" if "`" in line else f"{ticks}{line}{ticks}"


def _ticks(text: str, *, least: int) -> str:
    """More backticks than stand together anywhere in `text`."""
    runs = map(len, TICKS.findall(text))
    return "`" * max(least, 1 + max(runs, default=0))


def quote(result: str) -> str:
    """The first lines of a result in a code fence longer than any in them, so that Markdown leaves them as they are."""
    lines = result.splitlines()
    if not lines:
        return "(nothing)"
    shown = lines[:QUOTED_LINES]
    fence = _ticks("\n".join(shown), least=3)
    more = len(lines) - QUOTED_LINES
    return "\n".join([fence, *shown, fence, *([f"… {more} more lines"] if more > 0 else [])])
