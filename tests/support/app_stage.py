"""The app on a stage: a headless terminal, a scripted engine, and waiting on what is shown."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from tests.support.patience import PATIENCE
from tests.support.scripted_engine import ScriptedEngine
from tui.app.app import CcagentApp
from tui.app.prompt_history import PromptHistory


def make_app(engine: ScriptedEngine, *, history: Path | None = None, first_prompt: str | None = None) -> CcagentApp:
    """The app with a still clock."""

    async def open_engine() -> ScriptedEngine:
        return engine

    return CcagentApp(open_engine, PromptHistory(history), first_prompt, version="1.2.3", clock=lambda: 0.0)


@asynccontextmanager
async def on_stage(
    engine: ScriptedEngine,
    *,
    size: tuple[int, int] = (90, 30),
    history: Path | None = None,
    first_prompt: str | None = None,
) -> AsyncIterator[tuple[CcagentApp, Pilot[int]]]:
    """The running app, its engine started."""
    app = make_app(engine, history=history, first_prompt=first_prompt)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: engine.started == 1)
        yield app, pilot


async def until(pilot: Pilot[int], condition: Callable[[], object]) -> None:
    """Wait for `condition`; fails when it never comes."""
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while not condition():
        assert asyncio.get_running_loop().time() < deadline, f"never came true; on screen:\n{transcript(pilot.app)}"
        await pilot.pause(0.01)
    await pilot.pause()


async def shows(pilot: Pilot[int], text: str) -> None:
    """Wait until `text` stands in the transcript."""
    await until(pilot, lambda: text in transcript(pilot.app))


async def write(pilot: Pilot[int], text: str) -> None:
    """Put `text` into the prompt and press Enter."""
    assert isinstance(pilot.app, CcagentApp)
    pilot.app.prompt.insert(text)
    await pilot.press("enter")


async def type_in(pilot: Pilot[int], text: str) -> None:
    """Type `text`, a key at a time."""
    await pilot.press(*(("space" if char == " " else char) for char in text))


def transcript(app: object) -> str:
    """All rows of the transcript."""
    assert isinstance(app, CcagentApp)
    stack = app.view.stack
    return "\n".join(stack.row(number).text.rstrip() for number in range(stack.total)) if stack.items else ""


def rows_of(app: CcagentApp, selector: str) -> str:
    """What a painted widget shows."""
    widget = app.query_one(selector)
    return "\n".join(widget.render_line(y).text.rstrip() for y in range(widget.size.height))
