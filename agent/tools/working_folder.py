"""Where a shell command begins, and where it leaves the session."""

import contextlib
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from agent.files.private import make_private
from agent.files.regular import read_regular
from agent.protocol.errors import ToolError
from agent.protocol.tools import ToolContext
from agent.tools.limits import spill_file

MAX_REPORT = 64 * 1024  # bytes: no path is longer


class Start(Struct, frozen=True):
    """The folder a command runs in, and a note when that is not where the session was."""

    folder: Path
    note: str = ""


def starting_folder(context: ToolContext) -> Start:
    """The session's folder, or its first root when that is gone; raises ToolError when there is neither."""
    if os.path.isdir(context.cwd):
        return Start(context.cwd)
    home = next((root for root in context.roots if os.path.isdir(root)), None)
    if home is None:
        raise ToolError(f"The working directory {context.cwd} no longer exists.")
    context.set_cwd(home)
    return Start(home, f"{context.cwd} no longer exists. Shell cwd was reset to {home}")


def with_report(command: str, report: Path, env_files: Sequence[Path] = ()) -> str:
    """A script that sources `env_files`, runs `command` and, however it ends, writes the folder it ended in to `report`."""
    # eval keeps an unclosed quote in the command from swallowing the rest, and `exit` from skipping the trap
    leave = f"{{ pwd > {shlex.quote(str(report))}; }} 2>/dev/null"
    sourced = "".join(f"[ -r {name} ] && . {name} >/dev/null 2>&1; " for name in map(_quoted, env_files))
    return f"{sourced}trap {shlex.quote(leave)} EXIT; eval {shlex.quote(command)}"


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))


def report_file(context: ToolContext) -> Path:
    """The file of this call for `with_report`, in the session's own folder; when that cannot be made, no folder will be reported."""
    with contextlib.suppress(OSError):
        make_private(context.spill_dir)
    return spill_file(context.spill_dir, context.tool_use_id).with_suffix(".cwd")


def take_report(report: Path) -> Path | None:
    """The folder a command ended in, None when it could not tell; the report is removed."""
    try:
        text = read_regular(report, MAX_REPORT).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    finally:
        with contextlib.suppress(OSError):
            report.unlink()
    return Path(text.removesuffix("\n")) if text.startswith("/") else None


def move(context: ToolContext, start: Path, ended: Path | None) -> str:
    """Take the session to where the command ended if that is inside the roots, else to the first root; a note when it moved."""
    if ended is None or os.path.realpath(ended) == os.path.realpath(start):
        if not os.path.isdir(start):
            return _reset(context)
        return ""
    if not os.path.isdir(ended) or not _inside(ended, context.roots):
        return _reset(context)
    context.set_cwd(ended)
    return f"(cwd is now {ended})"


def _reset(context: ToolContext) -> str:
    home = next((root for root in context.roots if os.path.isdir(root)), None)
    if home is None:
        return ""
    context.set_cwd(home)
    return f"Shell cwd was reset to {home}"


def _inside(folder: Path, roots: tuple[Path, ...]) -> bool:
    real = Path(os.path.realpath(folder))
    return any(real.is_relative_to(os.path.realpath(root)) for root in roots)
