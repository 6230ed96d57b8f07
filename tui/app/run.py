"""Runs the app on this terminal until the person leaves or a signal ends it."""

import asyncio
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from agent.protocol.errors import FilesError
from tui.app.app import CcagentApp
from tui.app.engine import OpenEngine
from tui.app.prompt_history import PromptHistory
from tui.app.terminal_guard import quiet_stderr
from tui.app.textual_private import tell_alt_enter_from_enter
from tui.early_signals import leave_in_peace
from tui.hang_up import HUNG_UP, HangUp
from tui.std_streams import write_stdout
from tui.version import VERSION

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)


def run_app(open_engine: OpenEngine, *, first_prompt: str | None, history: Path | None, env: Mapping[str, str]) -> int:
    """The exit code: 0 left, 1 crashed, 128 + n for signal n (129: the window was closed). Raises the CcagentError when no session could be opened."""
    tell_alt_enter_from_enter()
    app = CcagentApp(open_engine, PromptHistory(history), first_prompt, version=VERSION, tmux="TMUX" in env)
    line = HangUp()
    with quiet_stderr():
        asyncio.run(_run(app, line))
    if app.failure is not None:
        raise app.failure
    if app.spoken and app.session_id:
        with suppress(BrokenPipeError, FilesError):  # a window that was closed takes no farewell
            write_stdout(f"Session {app.session_id}\nGo on with: ccagent --resume {app.session_id}\n".encode())
    return HUNG_UP if line.happened else app.return_code or 0


async def _run(app: CcagentApp, line: HangUp) -> None:
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, app.action_leave, 128 + number)
    line.watch(lambda: app.action_leave(HUNG_UP))
    await app.run_async()
    leave_in_peace(loop.remove_signal_handler)
