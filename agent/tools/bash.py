"""Bash: one shell command, its output for the model, and where it left the session."""

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from agent.process.runner import Finished, run_process
from agent.process.secrets import secret_values, without_keys
from agent.protocol.details import CommandOutput, Details
from agent.protocol.errors import FilesError, InvalidToolInput, ToolError
from agent.protocol.model import ToolSpec
from agent.protocol.tools import Access, Subject, ToolContext, ToolOutput
from agent.tools import spec
from agent.tools.console_text import both_ends, plain_text
from agent.tools.exit_codes import is_answer
from agent.tools.fields import Fields
from agent.tools.limits import Limits, keep, spill_file
from agent.tools.working_folder import move, report_file, starting_folder, take_report, with_report

_HEAD, _TAIL = 4_000, 6_000  # characters shown of an output that went to a file
_TITLE = 200  # characters

# No prompt may wait for a person who cannot answer; no pager or editor may open.
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "EDITOR": "true",
    "VISUAL": "true",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "TERM": "dumb",
}
_STARTUP_FILES = ("BASH_ENV", "ENV")  # what a profile prints is no output of the command


class BashInput(Struct, frozen=True):
    """A command and its time in milliseconds."""

    command: str
    timeout_ms: int


class Bash:
    """Each command is a new `bash -c` without a terminal; the folder persists inside the roots, the environment does not."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        properties = {
            "command": spec.text(),
            "description": spec.text("what it does, in a few words"),
            "timeout": spec.whole(),
        }
        self._spec = spec.tool_spec("Bash", properties, ["command"])

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return self._spec

    def parse(self, raw: Mapping[str, object]) -> BashInput:
        """The call in `raw`; a timeout above the maximum becomes the maximum. Raises InvalidToolInput."""
        fields = Fields("Bash", raw)
        command = fields.text("command")
        if "\0" in command:
            raise InvalidToolInput("Bash: `command` must not hold a NUL character.")
        timeout = fields.integer("timeout", None, least=1) or self._limits.bash_timeout_ms
        return BashInput(command=command, timeout_ms=min(timeout, self._limits.bash_max_timeout_ms))

    def subject(self, call: BashInput, cwd: Path) -> Subject:
        """The command."""
        first, *more = call.command.strip().split("\n")
        title = first[:_TITLE] + (" ..." if more or len(first) > _TITLE else "")
        return Subject(access=Access.EXECUTE, title=f"Bash {title}", command=call.command, cwd=cwd)

    def preview(self, call: BashInput, context: ToolContext) -> Details | None:
        """Nobody can tell."""
        return None

    async def run(self, call: BashInput, context: ToolContext) -> ToolOutput:
        """Run the command; a failure is an error result, not an exception. Raises ToolError when it cannot be started."""
        start = starting_folder(context)
        report = report_file(context)
        try:
            done = await self._run(call, start.folder, report, context)
        finally:
            ended = take_report(report)
        moved = "" if start.note and ended is None else move(context, start.folder, ended)
        notes = [note for note in (start.note, moved) if note]
        return await asyncio.to_thread(self._output, call, done, notes, context)

    async def _run(self, call: BashInput, folder: Path, report: Path, context: ToolContext) -> Finished:
        async def on_output(text: str) -> None:
            await context.progress(plain_text(text))

        env = {**without_keys(context.env), **_QUIET, "PWD": str(folder)}
        for name in _STARTUP_FILES:
            env.pop(name, None)
        shell = "bash" if shutil.which("bash", path=env.get("PATH")) else "sh"
        try:
            return await run_process(
                [shell, "-c", with_report(call.command, report, _env_files(context))],
                cwd=folder,
                env=env,
                timeout=call.timeout_ms / 1000,
                merge=True,
                spill=spill_file(context.spill_dir, context.tool_use_id),
                on_output=on_output,
                secrets=secret_values(context.env),
                background="keep",
            )
        except FilesError as error:
            raise ToolError(error.line) from error

    def _output(self, call: BashInput, done: Finished, notes: list[str], context: ToolContext) -> ToolOutput:
        shown, spilled_to = self._shortened(plain_text(done.stdout).strip("\n"), done, context)
        failed, how = _ending(call, done)
        text = "\n".join(
            part for part in (how if failed else "", shown or ("" if failed else f"({how})"), *notes) if part
        )
        details = CommandOutput(
            command=call.command,
            output=shown,
            exit_code=done.exit_code,
            duration_ms=done.duration_ms,
            timed_out=done.timed_out,
            spilled_to=spilled_to,
        )
        return ToolOutput(text=text, is_error=failed, details=details)

    def _shortened(self, output: str, done: Finished, context: ToolContext) -> tuple[str, str]:
        """The output as shown, and the file that holds the rest if that is too much."""
        if len(output) <= self._limits.bash_chars and not done.truncated:
            return output, ""
        where, told = _kept(output, done, context)
        head, tail = min(_HEAD, self._limits.bash_chars), min(_TAIL, self._limits.bash_chars)
        between = f"[... the middle is left out; the output has {done.output_bytes:,} bytes; {told} ...]"
        return both_ends(output, head, tail, between) if len(output) > head + tail else output, where


def _kept(output: str, done: Finished, context: ToolContext) -> tuple[str, str]:
    """The file that holds the output (empty when there is none), and what the model is told of it."""
    if done.truncated and not done.spilled:
        return "", "it could not be kept"
    try:
        file = (
            spill_file(context.spill_dir, context.tool_use_id)
            if done.spilled
            else keep(output, context.spill_dir, context.tool_use_id)
        )
    except FilesError as error:
        return "", error.what
    whole = not done.spilled or done.spilled >= done.output_bytes
    much = "all of it is" if whole else f"its first {done.spilled:,} bytes are"
    return str(file), f"{much} in {file}: Read it with offset and limit, or Grep it"


def _env_files(context: ToolContext) -> tuple[Path, ...]:
    """What is sourced first: the person's own CLAUDE_ENV_FILE (reference 2.4), then what SessionStart hooks have exported."""
    own = context.env.get("CLAUDE_ENV_FILE", "").strip()
    return (*((Path(own),) if own else ()), *context.env_files)


def _ending(call: BashInput, done: Finished) -> tuple[bool, str]:
    """Whether it failed, and how it ended: the first line of a failure, or what stands for the output when there was none."""
    if done.timed_out:
        return True, f"Command timed out after {call.timeout_ms / 1000:g} s and was ended, with all it had started."
    if done.exit_code == 0:
        return False, "no output"
    if done.exit_code is not None and is_answer(call.command, done.exit_code):
        return False, f"no output, exit code {done.exit_code}"
    return True, f"Exit code {done.exit_code}"
