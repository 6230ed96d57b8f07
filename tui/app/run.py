"""Runs the app on this terminal until the person leaves or a signal ends it."""

import asyncio
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from tui.app.app import CcagentApp
from tui.app.engine import OpenEngine
from tui.app.prompt_history import PromptHistory
from tui.app.terminal_guard import quiet_stderr
from tui.version import VERSION

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)


def run_app(open_engine: OpenEngine, *, first_prompt: str | None, history: Path | None, env: Mapping[str, str]) -> int:
    """The exit code: 0 left, 1 crashed, 128 + n for signal n. Raises the CcagentError when no session could be opened."""
    app = CcagentApp(open_engine, PromptHistory(history), first_prompt, version=VERSION, tmux="TMUX" in env)
    with quiet_stderr():
        asyncio.run(_run(app))
    if app.failure is not None:
        raise app.failure
    if app.spoken and app.session_id:
        sys.stdout.write(f"Session {app.session_id}\nGo on with: ccagent --resume {app.session_id}\n")
    return app.return_code or 0


async def _run(app: CcagentApp) -> None:
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, app.action_leave, 128 + number)
    await app.run_async()
