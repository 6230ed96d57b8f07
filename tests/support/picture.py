"""Draws the README's picture from the real app: `python -m tests.support.picture` writes docs/screen.svg."""

from pathlib import Path

from pytest_textual_snapshot import normalize_svg
from textual._doc import take_svg_screenshot
from textual.pilot import Pilot

from agent.context.tiers import compute_tiers
from agent.context.window import resolve_windows
from agent.models.prices import cost
from agent.models.table import lookup
from agent.protocol.blocks import Text
from agent.protocol.details import CommandOutput, FileDiff, Hunk
from agent.protocol.events import (
    AssistantDone,
    CompactFinished,
    HookFinished,
    MeterChanged,
    PromptAccepted,
    ToolFinished,
    ToolStarted,
)
from agent.protocol.messages import Message, Usage
from agent.protocol.meter import Reading
from agent.protocol.results import Counts, Receipt
from agent.protocol.tools import ToolOutput
from tests.support.app_stage import make_app, shows, until, write
from tests.support.scripted_engine import DONE, ScriptedEngine, ScriptedStatus, Step

PICTURE = Path(__file__).parents[2] / "docs" / "screen.svg"
SIZE = (110, 36)
PROMPT = "The parser drops the last token. Fix it and run the tests."
DIFF = FileDiff(
    path="src/parse.py",
    created=False,
    added=2,
    removed=1,
    hunks=(
        Hunk(
            11,
            3,
            11,
            4,
            (
                " def parse(text: str) -> list[str]:",
                "-    return text.split()[:-1]",
                '+    """The words of `text`, the last one too."""',
                "+    return text.split()",
            ),
        ),
    ),
)


def _said(text: str) -> AssistantDone:
    message = Message("assistant", (Text(text=text),))
    return AssistantDone(uuid="a", message=message, message_id="m", model="x", stop_reason="end_turn", usage=None)


def _called(name: str, title: str, output: ToolOutput, milliseconds: int) -> list[Step]:
    return [ToolStarted(title, name, {}, title), ToolFinished(title, name, title, output, milliseconds)]


def _hook(event: str, command: str, text: str = "") -> HookFinished:
    return HookFinished(id=event, event=event, command=command, outcome="ok", text=text, duration_ms=21)


MODEL = ScriptedStatus().model
WINDOWS, _ = resolve_windows(lookup(MODEL))
TIERS, _ = compute_tiers(WINDOWS, auto=True)
FULL, COMPACTED, NOW = (TIERS.auto_compact or 0) + 1_204, 41_377, 54_912  # tokens
SUMMARY = cost(MODEL, Usage(input=900, output=4_300, cache_creation=0, cache_read=FULL)) or 0.0
SPENT = 3.26  # US dollars, before and after the compaction


def _meter(used: int) -> Reading:
    return Reading(used=used, windows=WINDOWS, tiers=TIERS, auto=True)


RECEIPT = Receipt(
    trigger="auto",
    boundary="b",
    pre_tokens=FULL,
    post_tokens=COMPACTED,
    summary="# Story",
    cost=SUMMARY,
    rules=Counts(6, 6),
    files=Counts(3, 3),
)
SCRIPT: list[Step] = [
    PromptAccepted("u", PROMPT),
    MeterChanged(_meter(FULL)),
    _hook("PreCompact", ".claude/hooks/before-compact", "Keep every ticket number."),
    _hook("PostCompact", ".claude/hooks/after-compact"),
    CompactFinished(RECEIPT),
    _said("`parse()` cuts the list one short; everything else is right."),
    *_called("Edit", "Edit src/parse.py", ToolOutput("done", details=DIFF), 30),
    *_called(
        "Bash", "Bash pytest -q", ToolOutput("", details=CommandOutput("pytest -q", "41 passed\n", 0, 1_900)), 1_900
    ),
    _said(
        "Fixed: the slice `[:-1]` is gone, and `parse()` says what it returns.\n\n- 41 tests pass\n- nothing else called it"
    ),
    MeterChanged(_meter(NOW)),
    DONE,
]


def draw() -> str:
    """The picture, as SVG."""
    engine = ScriptedEngine(SCRIPT, first_reading=_meter(FULL), status=ScriptedStatus(cost=SPENT + SUMMARY))

    async def act(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: engine.started == 1)
        await write(pilot, PROMPT)
        await shows(pilot, "nothing else called it")
        await until(pilot, lambda: not app._runner.running)

    app = make_app(engine)
    return normalize_svg(take_svg_screenshot(app=app, terminal_size=SIZE, run_before=act))


if __name__ == "__main__":
    PICTURE.write_text(draw())
