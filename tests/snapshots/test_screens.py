"""Screens as pictures: one per meter tier, per block and per question. `pytest tests/snapshots --snapshot-update` draws them anew."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import pytest
from textual.app import App
from textual.pilot import Pilot

from agent.protocol.asks import Ask, Permission, Plan, Preview, Rewind, Trust, TrustItem
from agent.protocol.blocks import Text
from agent.protocol.details import CommandOutput, Details, FileDiff, FileText, Hunk, Matches
from agent.protocol.events import (
    Asked,
    AssistantDone,
    CompactFailed,
    CompactFinished,
    CompactProgress,
    CompactStarted,
    Event,
    Failed,
    HookFinished,
    MeterChanged,
    Notice,
    PromptAccepted,
    RetryScheduled,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnStarted,
)
from agent.protocol.messages import Message
from agent.protocol.meter import Reading
from agent.protocol.results import Failure, Receipt
from agent.protocol.tools import ToolOutput
from tests.support.app_stage import make_app, shows, type_in, until, write
from tests.support.scripted_engine import (
    DONE,
    TIERS_OFF,
    ScriptedCompletion,
    ScriptedEngine,
    ScriptedStatus,
    Step,
    Wait,
    reading,
)
from tui.app.app import CcagentApp

SIZE = (90, 26)
Act = Callable[[CcagentApp, Pilot[int]], Awaitable[None]]

ANSWER = """\
# What I found

The parser drops the **last** token; see `parse()` in [the docs](https://example.com/docs).

1. read the file
2. fix the loop
   - keep the tests

> Nothing else depends on it.

```python
def parse(text: str) -> list[str]:
    return text.split()  # all of them
```

| case | before | after |
|------|-------:|------:|
| empty | 0 | 0 |
| 漢字 | 1 | 2 |
"""
DIFF = FileDiff(
    path="src/parse.py",
    created=False,
    added=2,
    removed=1,
    hunks=(
        Hunk(
            10,
            4,
            10,
            5,
            (
                " def parse(text):",
                "-    return text.split()[:-1]",
                "+    parts = text.split()",
                "+    return parts",
                " ",
            ),
        ),
    ),
)
BASH = CommandOutput(
    "pytest -q", "".join(f"tests/test_{n}.py .\n" for n in range(20)) + "[red]1 failed[/red]\n", 1, 2_300
)
GREP = Matches(
    "parse",
    2,
    3,
    ("src/parse.py:10:def parse(text):", "src/main.py:3:from parse import parse", "src/main.py:9:    parse(x)"),
)
RECEIPT = Receipt(trigger="auto", boundary="b", pre_tokens=168_000, post_tokens=31_000, summary="# Story", cost=0.05)


class Snapshot(Protocol):
    """pytest-textual-snapshot's fixture."""

    def __call__(
        self, app: App[int], *, terminal_size: tuple[int, int], run_before: Callable[[Pilot[int]], Awaitable[None]]
    ) -> bool: ...


def done(text: str) -> AssistantDone:
    message = Message("assistant", (Text(text=text),))
    return AssistantDone(uuid="a", message=message, message_id="m", model="x", stop_reason="end_turn", usage=None)


def called(
    name: str, title: str, details: Details | None = None, text: str = "done", *, error: bool = False
) -> list[Step]:
    output = ToolOutput(text, is_error=error, details=details)
    return [ToolStarted("t", name, {}, title), ToolFinished("t", name, title, output, 1_500)]


def pictured(snap: Snapshot, engine: ScriptedEngine, act: Act, size: tuple[int, int] = SIZE) -> bool:
    """Act on the running app, then compare what is on the screen."""
    app = make_app(engine)

    async def before(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: engine.started == 1)
        await act(app, pilot)

    return snap(app, terminal_size=size, run_before=before)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(reading(20_000), id="ok"),
        pytest.param(reading(140_000, estimated=True), id="warning"),
        pytest.param(reading(158_000), id="error"),
        pytest.param(reading(168_500), id="auto_compact"),
        pytest.param(reading(178_000), id="blocking"),
        pytest.param(reading(None), id="unknown"),
        pytest.param(reading(150_000, tiers=TIERS_OFF), id="auto_off_warning"),
        pytest.param(reading(178_000, tiers=TIERS_OFF), id="auto_off_blocking"),
    ],
)
def test_meter(snap_compare: Snapshot, found: Reading) -> None:
    engine = ScriptedEngine([MeterChanged(found), Notice("info", "the meter moved"), DONE])

    async def act(_app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "go")
        await shows(pilot, "the meter moved")

    assert pictured(snap_compare, engine, act, (120, 10))


def test_meter_in_a_narrow_terminal(snap_compare: Snapshot) -> None:
    engine = ScriptedEngine([MeterChanged(reading(140_000)), Notice("info", "the meter moved"), DONE])

    async def act(_app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "go")
        await shows(pilot, "the meter moved")

    assert pictured(snap_compare, engine, act, (60, 10))


BLOCKS: dict[str, Sequence[Step]] = {
    "user": [
        PromptAccepted("u", "Fix the parser.\nIt drops [red]tokens[/red], and \x1b[2J should not clear the screen.")
    ],
    "answer": [TurnStarted(1), TextDelta(ANSWER), done(ANSWER)],
    "thinking": [TurnStarted(1), ThinkingDelta("hmm " * 40), TextDelta("So."), done("So.")],
    "read": called("Read", "Read src/parse.py", FileText("src/parse.py", 1, 40, 120)),
    "edit": called("Edit", "Edit src/parse.py", DIFF),
    "bash": called("Bash", "Bash pytest -q", BASH),
    "grep": called("Grep", "Grep parse", GREP),
    "failed": called("Read", "Read nowhere.py", text="File does not exist: nowhere.py", error=True),
    "hooks": [
        HookFinished(
            id="1", event="PreCompact", command="~/notify.sh", outcome="ok", text="keep the names", duration_ms=80
        ),
        HookFinished(
            id="2", event="PreToolUse", command="guard.py", outcome="blocked", text="no rm here", duration_ms=5
        ),
        HookFinished(id="3", event="PostCompact", command="x", outcome="failed", exit_code=127, duration_ms=5),
    ],
    "notices": [Notice("info", "One."), Notice("warning", "Two."), Notice("error", "Three [b]literally[/b].")],
    "retry": [RetryScheduled(1, 10, 4.0, "Overloaded")],
    "failure": [Failed(Failure("The API refused the key.", "Nothing was sent.", "Set ANTHROPIC_API_KEY."))],
    "receipt": [CompactFinished(RECEIPT)],
    "compact_failed": [CompactFailed("auto", "the API could not be reached")],
    "output": [Notice("output", "# Context\n\n| part | tokens |\n|---|---:|\n| messages | 12,000 |\n")],
}


@pytest.mark.parametrize("block", BLOCKS)
def test_block(snap_compare: Snapshot, block: str) -> None:
    engine = ScriptedEngine([*BLOCKS[block], Notice("info", "end of the script"), DONE])

    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "go")
        await shows(pilot, "end of the script")
        await until(pilot, lambda: not app._runner.running)

    assert pictured(snap_compare, engine, act)


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

    assert pictured(snap_compare, ScriptedEngine([*steps, Wait()]), act, (90, 14))


QUESTIONS: dict[str, Ask] = {
    "edit": Permission("Edit", "t", "Edit src/parse.py", {}, DIFF, rule="Edit(//repo/**)"),
    "bash": Permission(
        "Bash",
        "t",
        "Bash rm -r [build]",
        {"command": "rm -r [build] \\\n  && make"},
        rule="Bash(rm:*)",
        reason="It changes files outside the project.",
    ),
    "trust": Trust(
        "/repo",
        (
            TrustItem("hook", "PreToolUse: ./.claude/check.sh", "/repo/.claude/settings.json"),
            TrustItem("allow", "Bash(npm run:*)", "/repo/.claude/settings.json"),
            TrustItem("env", "PATH=./bin", "/repo/.ccagent/settings.json"),
        ),
    ),
    "plan": Plan("# Plan\n\n1. read\n2. write\n"),
    "preview": Preview("# Story\n\nWe fixed the parser.", 168_000, 31_000),
    "rewind": Rewind("u", "Fix the parser."),
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_question(snap_compare: Snapshot, kind: str) -> None:
    engine = ScriptedEngine([PromptAccepted("u", "go on"), Asked("q", QUESTIONS[kind]), DONE])

    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "go on")
        await until(pilot, lambda: app.panel.has_focus)

    assert pictured(snap_compare, engine, act)


def test_completions(snap_compare: Snapshot) -> None:
    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await type_in(pilot, "/c")
        await until(pilot, lambda: app.completer.is_open)

    assert pictured(snap_compare, ScriptedEngine(), act, (90, 14))


def test_queue_and_a_long_prompt(snap_compare: Snapshot) -> None:
    engine = ScriptedEngine([PromptAccepted("u", "one"), Wait()])

    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "one")
        await shows(pilot, "❯ one")
        await write(pilot, "then run the tests")
        await until(pilot, lambda: app.query_one("#queued").display)
        app.prompt.insert("a prompt\nof three\nlines")

    assert pictured(snap_compare, engine, act, (90, 16))


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
