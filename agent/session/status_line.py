"""The person's status line command (reference 7.4): run beside everything else, never waited for, ended when it takes too long."""

import asyncio
import shutil

from agent.hooks.process import hook_env
from agent.process.runner import Finished, run_process
from agent.process.secrets import secret_values
from agent.protocol.errors import FilesError
from agent.protocol.events import (
    AssistantDone,
    CompactFinished,
    Emit,
    Event,
    HistoryChanged,
    ModeChanged,
    ModelChanged,
    Notice,
    PromptFinished,
    StatusLineChanged,
)
from agent.session.state import State
from agent.session.status_input import status_input
from agent.settings.schema import StatusLine

DEBOUNCE = 0.3  # seconds
TIMEOUT = 5.0  # seconds; then it and all its children are killed
MOST_LINES, MOST_CHARS = 3, 500  # of the output
WAKING = AssistantDone | CompactFinished | HistoryChanged | ModeChanged | ModelChanged | PromptFinished


class StatusLineRunner:
    """One per session; a newer occasion ends the run of the older one. `tell` takes events that belong to no prompt."""

    def __init__(self, state: State, version: str, tell: Emit) -> None:
        self.lines: tuple[str, ...] = ()
        self._state = state
        self._version = version
        self._tell = tell
        self._task: asyncio.Task[None] | None = None
        self._told = ""

    def see(self, event: Event) -> None:
        """Runs the command soon after what it reports on has changed."""
        if isinstance(event, WAKING):
            self.wake()

    def wake(self) -> None:
        """Runs the command soon, unless there is none or nobody looks."""
        if self._task is not None:
            self._task.cancel()
        self._task = asyncio.create_task(self._keep_fresh()) if self._state.builder.interactive else None

    async def close(self) -> None:
        """Ends what runs."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _keep_fresh(self) -> None:
        pause = DEBOUNCE
        while (setting := self._setting()) is not None:
            await asyncio.sleep(pause)
            await self._show(await self._run(setting))
            if setting.refresh_interval is None:
                return
            pause = setting.refresh_interval
        await self._show(())

    def _setting(self) -> StatusLine | None:
        settings = self._state.builder.settings
        return None if settings.disable_all_hooks.value else settings.status_line.value

    async def _run(self, setting: StatusLine) -> tuple[str, ...]:
        """What it prints; when it fails, what it printed last, and one line that says why."""
        state = self._state
        environment, places = state.builder.settings.environment, state.builder.places
        size = shutil.get_terminal_size()
        try:
            ended = await run_process(
                ("sh", "-c", setting.command),
                cwd=state.parts.workplace.cwd,
                env={
                    **hook_env(environment, places.project_root, state.conversation.transcript.session_id),
                    "COLUMNS": str(size.columns),
                    "LINES": str(size.lines),
                },
                stdin=status_input(state, self._version),
                timeout=TIMEOUT,
                max_bytes=2 * MOST_LINES * MOST_CHARS,
                secrets=secret_values(environment),
            )
        except FilesError as error:
            await self._complain(error.what)
            return self.lines
        if why := _failure(ended):
            await self._complain(why)
            return self.lines
        return tuple(line[:MOST_CHARS] for line in ended.stdout.rstrip().splitlines()[:MOST_LINES])

    async def _show(self, lines: tuple[str, ...]) -> None:
        if lines != self.lines:
            self.lines = lines
            await self._tell(StatusLineChanged(lines))

    async def _complain(self, why: str) -> None:
        """Once for each reason: it runs often."""
        if why != self._told:
            self._told = why
            await self._tell(Notice(level="warning", text=f"The status line command failed: {why}"))


def _failure(ended: Finished) -> str:
    if ended.timed_out:
        return f"it took longer than {TIMEOUT:g} s and was ended."
    if ended.exit_code:
        said = ended.stderr.strip().splitlines()
        return f"exit code {ended.exit_code}{f': {said[-1][:200]}' if said else ''}"
    return ""
