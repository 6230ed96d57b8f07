"""Runs every hook that waits for a firing, side by side, and says what they want together."""

import asyncio
import os
import secrets
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agent.hooks.background import Background
from agent.hooks.cap import cap_outcome, cap_text
from agent.hooks.condition import holds
from agent.hooks.env_file import fresh_env_file
from agent.hooks.log import HookLog
from agent.hooks.matcher import matches
from agent.hooks.outcome import HookReport, interpret, merge, never_started
from agent.hooks.process import hook_argv, hook_env, hook_stdin, hook_timeout
from agent.permissions.path_match import PathScope
from agent.process.runner import Finished, run_process
from agent.process.secrets import secret_values
from agent.protocol.errors import FilesError, HookError
from agent.protocol.events import Emit, HookFinished, HookStarted
from agent.protocol.hooks import HookEvent, HookInput, HookOutcome
from agent.settings.hook_entries import CommandHandler, HookEntry

SHOWN = 2_000  # characters of a run that /hooks can show
NEVER_STARTED = " · The hook never ran, so it decides nothing; this is told once, /hooks shows it."


class Hooks:
    """The session's hooks.

    `common` gives the stdin fields of every event (session_id, transcript_path, cwd, ...); `env` is the agent's environment;
    `project_dir` is where the session started; long output goes below `spill_dir`, what SessionStart hooks export below `env_dir`.
    `disabled` leaves only managed hooks.
    """

    def __init__(
        self,
        entries: Sequence[HookEntry],
        *,
        common: Callable[[], Mapping[str, object]],
        env: Mapping[str, str],
        project_dir: Path,
        disabled: bool = False,
        spill_dir: Path | None = None,
        env_dir: Path | None = None,
        log: HookLog | None = None,
    ) -> None:
        self._entries = tuple(entry for entry in entries if not disabled or entry.scope == "managed")
        self._common = common
        self._env = env
        self._secrets = secret_values(env)
        self._project_dir = project_dir
        self._spill_dir = spill_dir
        self._env_dir = env_dir
        self._log = log or HookLog()
        self._broken: set[HookEntry] = set()
        self._background = Background()

    async def run(self, hook: HookInput, emit: Emit) -> HookOutcome:
        """Run what matches `hook`; emits HookStarted and HookFinished for each; raises nothing for what a hook does."""
        if hook.event is HookEvent.USER_PROMPT_SUBMIT:
            self._log.prompt_id = str(uuid.uuid4())
        handlers = await self._matching(hook, emit)
        if not handlers:
            return HookOutcome()
        common = {**self._common(), **({"prompt_id": self._log.prompt_id} if self._log.prompt_id else {})}
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._run_one(handler, hook, common, emit)) for handler in handlers]
        return merge([task.result() for task in tasks])

    def tell(self, hook: HookInput, emit: Emit) -> None:
        """Start what matches `hook` and go on: its output is discarded anyway."""

        async def told() -> None:
            await self.run(hook, emit)

        if any(entry.event is hook.event for entry in self._entries):
            self._background.start(told(), told=True)

    def late(self) -> tuple[str, ...]:
        """What background hooks have said to the model since."""
        return self._log.take_late()

    async def close(self) -> None:
        """End the hooks that still run in the background."""
        await self._background.close()

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
            self._background.start(self._run_late(name, handler, hook, common), told=False)
            await emit(_ended(name, hook, handler, HookReport("ok", "runs in the background"), None))
            return HookOutcome()
        report, finished = await self._report(handler, hook, common)
        await self._finish(name, hook, handler, report, finished, emit)
        return cap_outcome(report.outcome, self._spill_dir, name)

    async def _run_late(
        self, name: str, handler: CommandHandler, hook: HookInput, common: Mapping[str, object]
    ) -> None:
        """A background hook: no control, but what it tells the model waits for the next turn."""
        report, finished = await self._report(handler, hook, common)
        self._note(hook, handler, report, finished)
        outcome = cap_outcome(report.outcome, self._spill_dir, name)
        woken = (outcome.reason,) if handler.async_rewake and outcome.blocked and outcome.reason else ()
        self._log.say_later((*outcome.context, *outcome.shown, *woken))

    async def _report(
        self, handler: CommandHandler, hook: HookInput, common: Mapping[str, object]
    ) -> tuple[HookReport, Finished | None]:
        session = str(common.get("session_id", ""))
        try:
            finished = await run_process(
                hook_argv(handler, self._project_dir),
                cwd=self._cwd(common),
                env=hook_env(self._env, self._project_dir, session, self._env_file(handler, hook)),
                stdin=hook_stdin(hook, common),
                timeout=hook_timeout(handler, hook.event, self._env),
                secrets=self._secrets,
            )
        except (FilesError, HookError) as error:
            return HookReport("failed", f"could not start: {error.line}"), None
        return interpret(hook.event, finished), finished

    async def _finish(
        self,
        name: str,
        hook: HookInput,
        handler: CommandHandler,
        report: HookReport,
        finished: Finished | None,
        emit: Emit,
    ) -> None:
        """Tell how a hook ended; one that cannot start is loud once, not before every call."""
        self._note(hook, handler, report, finished)
        if report.status == "failed" and (finished is None or never_started(finished)):
            loud = self._log.first_time(hook.event.value, handler.command)
            report = HookReport("failed", f"{report.text}{NEVER_STARTED}" if loud else "")
        await emit(_ended(name, hook, handler, report, finished))

    def _note(self, hook: HookInput, handler: CommandHandler, report: HookReport, finished: Finished | None) -> None:
        code, time = (finished.exit_code, finished.duration_ms) if finished else (None, 0)
        self._log.add(hook.event.value, handler.command, report.status, report.text[:SHOWN], code, time)

    def _env_file(self, handler: CommandHandler, hook: HookInput) -> Path | None:
        if self._env_dir is None or hook.event is not HookEvent.SESSION_START:
            return None
        position = next((at for at, entry in enumerate(self._entries) if entry.handler is handler), 0)
        return fresh_env_file(self._env_dir, position, handler.command)

    def _cwd(self, common: Mapping[str, object]) -> Path:
        """The session's folder; the project's, or the root of all, when it is gone."""
        told = Path(str(common.get("cwd") or self._project_dir))
        return next((folder for folder in (told, self._project_dir) if os.path.isdir(folder)), Path("/"))

    def _name(self) -> str:
        return f"hook-{secrets.token_hex(6)}"


def _ended(
    name: str, hook: HookInput, handler: CommandHandler, report: HookReport, finished: Finished | None
) -> HookFinished:
    return HookFinished(
        id=name,
        event=hook.event.value,
        command=handler.command,
        outcome=report.status,
        text=cap_text(report.text, None, name),
        exit_code=finished.exit_code if finished else None,
        duration_ms=finished.duration_ms if finished else 0,
    )
