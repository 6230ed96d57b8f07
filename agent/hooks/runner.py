"""Runs every hook that waits for a firing, side by side, and says what they want together."""

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from agent.hooks.cap import cap_outcome, cap_text
from agent.hooks.condition import holds
from agent.hooks.matcher import matches
from agent.hooks.outcome import HookReport, interpret, merge
from agent.hooks.process import hook_argv, hook_env, hook_stdin, hook_timeout
from agent.permissions.path_match import PathScope
from agent.process.runner import Finished, run_process
from agent.process.secrets import secret_values
from agent.protocol.errors import FilesError, HookError
from agent.protocol.events import Emit, HookFinished, HookStarted
from agent.protocol.hooks import HookInput, HookOutcome
from agent.settings.hook_entries import CommandHandler, HookEntry


class Run(Protocol):
    """The part of `run_process` that hooks use."""

    async def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: bytes,
        timeout: float,  # noqa: ASYNC109 - the child's time
        secrets: Sequence[str],
    ) -> Finished: ...


class Hooks:
    """The session's hooks.

    `common` gives the stdin fields of every event (session_id, transcript_path, cwd, ...); `env` is the agent's environment;
    `project_dir` is where the session started; long output goes below `spill_dir`. `disabled` leaves only managed hooks.
    """

    def __init__(
        self,
        entries: Sequence[HookEntry],
        *,
        common: Callable[[], Mapping[str, object]],
        env: Mapping[str, str],
        project_dir: Path,
        run: Run = run_process,
        disabled: bool = False,
        spill_dir: Path | None = None,
    ) -> None:
        self._entries = tuple(entry for entry in entries if not disabled or entry.scope == "managed")
        self._common = common
        self._env = env
        self._secrets = secret_values(env)
        self._project_dir = project_dir
        self._run = run
        self._spill_dir = spill_dir
        self._broken: set[HookEntry] = set()
        self._background: set[asyncio.Task[HookReport]] = set()

    async def run(self, hook: HookInput, emit: Emit) -> HookOutcome:
        """Run what matches `hook`; emits HookStarted and HookFinished for each; raises nothing for what a hook does."""
        handlers = await self._matching(hook, emit)
        if not handlers:
            return HookOutcome()
        common = dict(self._common())
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._run_one(handler, hook, common, emit)) for handler in handlers]
        return merge([task.result() for task in tasks])

    async def close(self) -> None:
        """End the hooks that still run in the background."""
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)

    async def _matching(self, hook: HookInput, emit: Emit) -> tuple[CommandHandler, ...]:
        """Each handler once, in the order of the settings; a matcher that is no pattern is told once."""
        scope = PathScope(cwd=self._cwd(self._common()), home=Path(self._env.get("HOME", "/")))
        found: dict[CommandHandler, None] = {}
        for entry in self._entries:
            if entry.event is not hook.event:
                continue
            try:
                if matches(entry.matcher, hook.event, hook.subject) and holds(entry.handler.if_, hook, scope):
                    found[entry.handler] = None
            except HookError as error:
                if entry not in self._broken:
                    self._broken.add(entry)
                    await self._finish(self._name(), hook, entry.handler, HookReport("failed", error.what), None, emit)
        return tuple(found)

    async def _run_one(
        self, handler: CommandHandler, hook: HookInput, common: Mapping[str, object], emit: Emit
    ) -> HookOutcome:
        name = self._name()
        await emit(HookStarted(name, hook.event.value, handler.command, handler.status_message or ""))
        if handler.async_ or handler.async_rewake:
            self._start_in_background(handler, hook, common)
            report, finished = HookReport("ok", "runs in the background"), None
        else:
            report, finished = await self._report(handler, hook, common)
        await self._finish(name, hook, handler, report, finished, emit)
        return cap_outcome(report.outcome, self._spill_dir, name)

    async def _report(
        self, handler: CommandHandler, hook: HookInput, common: Mapping[str, object]
    ) -> tuple[HookReport, Finished | None]:
        try:
            finished = await self._run(
                hook_argv(handler, self._project_dir),
                cwd=self._cwd(common),
                env=hook_env(self._env, self._project_dir, str(common.get("session_id", ""))),
                stdin=hook_stdin(hook, common),
                timeout=hook_timeout(handler, hook.event, self._env),
                secrets=self._secrets,
            )
        except (FilesError, HookError) as error:
            return HookReport("failed", f"could not start: {error.line}"), None
        return interpret(hook.event, finished), finished

    def _start_in_background(self, handler: CommandHandler, hook: HookInput, common: Mapping[str, object]) -> None:
        async def run() -> HookReport:
            report, _finished = await self._report(handler, hook, common)
            return report

        task = asyncio.get_running_loop().create_task(run())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _finish(
        self,
        name: str,
        hook: HookInput,
        handler: CommandHandler,
        report: HookReport,
        finished: Finished | None,
        emit: Emit,
    ) -> None:
        await emit(
            HookFinished(
                id=name,
                event=hook.event.value,
                command=handler.command,
                outcome=report.status,
                text=cap_text(report.text, None, name),
                exit_code=finished.exit_code if finished else None,
                duration_ms=finished.duration_ms if finished else 0,
            )
        )

    def _cwd(self, common: Mapping[str, object]) -> Path:
        """The session's folder; the project's, or the root of all, when it is gone."""
        told = Path(str(common.get("cwd") or self._project_dir))
        return next((folder for folder in (told, self._project_dir) if folder.is_dir()), Path("/"))

    def _name(self) -> str:
        return f"hook-{secrets.token_hex(6)}"
