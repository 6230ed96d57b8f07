"""Screens as pictures: one per meter tier, per block and per question. `pytest tests/snapshots --snapshot-update` draws them anew."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import pytest
from textual.app import App
from textual.pilot import Pilot

from agent.protocol.events import (
    Asked,
    CompactProgress,
    CompactStarted,
    Event,
    Notice,
    PromptAccepted,
    TextDelta,
    ToolProgress,
    ToolStarted,
    TurnStarted,
)
from tests.snapshots import scenes
from tests.snapshots.scenes import BASH, BLOCKS, METERS, QUESTIONS, Act, Scene, called, scene
from tests.support.app_stage import shows, type_in, until, write
from tests.support.scripted_engine import DONE, ScriptedCompletion, ScriptedEngine, ScriptedStatus, Step, Wait
from tui.app.app import CcagentApp


class Snapshot(Protocol):
    """pytest-textual-snapshot's fixture."""

    def __call__(
        self, app: App[int], *, terminal_size: tuple[int, int], run_before: Callable[[Pilot[int]], Awaitable[None]]
    ) -> bool: ...


def same(snap: Snapshot, shown: Scene) -> bool:
    """Whether the scene looks like its stored picture."""
    return snap(shown.app, terminal_size=shown.size, run_before=shown.before)


def pictured(snap: Snapshot, engine: ScriptedEngine, act: Act, size: tuple[int, int] = scenes.SIZE) -> bool:
    """Act on the running app, then compare what is on the screen."""
    return same(snap, scene(engine, act, size))


@pytest.mark.parametrize("tier", METERS)
def test_meter(snap_compare: Snapshot, tier: str) -> None:
    assert same(snap_compare, scenes.meter(METERS[tier]))


def test_meter_in_a_narrow_terminal(snap_compare: Snapshot) -> None:
    assert same(snap_compare, scenes.meter(METERS["warning"], width=60))


@pytest.mark.parametrize("block", BLOCKS)
def test_block(snap_compare: Snapshot, block: str) -> None:
    assert same(snap_compare, scenes.block(block))


RUNNING: dict[str, tuple[Sequence[Step], str]] = {
    "call": ([ToolStarted("t", "Bash", {}, "Bash make"), ToolProgress("t", "compiling\nlinking\n")], "linking"),
    "compaction": ([Notice("info", "so far"), CompactStarted("auto", 168_000), CompactProgress(1_234)], "so far"),
    "answer": ([TurnStarted(1), TextDelta("Half an ans")], "Half an ans"),
}


@pytest.mark.parametrize("kind", RUNNING)
def test_running(snap_compare: Snapshot, kind: str) -> None:
    steps, text = RUNNING[kind]

    async def act(_app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "go")
        await shows(pilot, text)

    assert pictured(snap_compare, ScriptedEngine([*steps, Wait()]), act, (90, 20))


@pytest.mark.parametrize("kind", QUESTIONS)
def test_question(snap_compare: Snapshot, kind: str) -> None:
    assert same(snap_compare, scenes.question(kind))


def test_question_in_a_small_terminal(snap_compare: Snapshot) -> None:
    assert same(snap_compare, scenes.question("edit", (50, 12)))


def test_a_summary_that_is_edited(snap_compare: Snapshot) -> None:
    engine = ScriptedEngine([PromptAccepted("u", "go on"), Asked("q", QUESTIONS["preview"]), DONE])

    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "go on")
        await until(pilot, lambda: app.panel.has_focus)
        await pilot.press("e")
        await until(pilot, lambda: app.query_one("#rewrite").has_focus)
        await type_in(pilot, "Our ")

    assert pictured(snap_compare, engine, act)


def test_completions(snap_compare: Snapshot) -> None:
    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await type_in(pilot, "/c")
        await until(pilot, lambda: app.completer.is_open)

    assert pictured(snap_compare, ScriptedEngine(), act, (90, 20))


def test_queue_and_a_long_prompt(snap_compare: Snapshot) -> None:
    engine = ScriptedEngine([PromptAccepted("u", "one"), Wait()])

    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "one")
        await shows(pilot, "❯ one")
        await write(pilot, "then run the tests")
        await until(pilot, lambda: app.query_one("#queued").display)
        app.prompt.insert("a prompt\nof three\nlines")

    assert pictured(snap_compare, engine, act, (90, 20))


def test_session_picker(snap_compare: Snapshot) -> None:
    sessions = [ScriptedCompletion(f"/resume {n}{n}{n}", f"conversation {n}") for n in range(20)]

    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "/resume")
        await until(pilot, lambda: app.picker.has_focus)
        await pilot.press("down", "down")

    assert pictured(snap_compare, ScriptedEngine(sessions=sessions), act)


def test_offline_and_scrolled_back(snap_compare: Snapshot) -> None:
    history: list[Event] = [PromptAccepted(str(n), f"prompt {n}") for n in range(40)]
    status = ScriptedStatus(offline=True, mode="bypassPermissions")

    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await shows(pilot, "prompt 39")
        await pilot.press("pageup")
        await until(pilot, lambda: not app.view.following)

    assert pictured(snap_compare, ScriptedEngine(history=history, status=status), act)


def test_pager(snap_compare: Snapshot) -> None:
    engine = ScriptedEngine([*called("Bash", "Bash pytest -q", BASH), DONE])

    async def act(_app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "go")
        await shows(pilot, "1 failed")
        await pilot.press("ctrl+o")
        await pilot.pause(0.1)

    assert pictured(snap_compare, engine, act)


def test_keys(snap_compare: Snapshot) -> None:
    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await pilot.press("question_mark")
        await until(pilot, lambda: len(app.screen_stack) == 2)

    assert pictured(snap_compare, ScriptedEngine(), act)


def test_commands_and_what_they_say(snap_compare: Snapshot) -> None:
    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "/model")
        await shows(pilot, "Model: x")
        await until(pilot, lambda: not app._runner.running)

    assert pictured(snap_compare, ScriptedEngine([Notice("output", "Model: x"), DONE]), act, (90, 20))
