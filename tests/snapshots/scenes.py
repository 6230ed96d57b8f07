"""What the pictures show: the scripts of meters, blocks and questions, and how each comes onto the screen."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from textual.pilot import Pilot

from agent.protocol.asks import Ask, Permission, Plan, Preview, Rewind, Trust, TrustItem
from agent.protocol.blocks import Text
from agent.protocol.details import CommandOutput, Details, FileDiff, FileText, Hunk, Matches
from agent.protocol.events import (
    Asked,
    AssistantDone,
    CompactFailed,
    CompactFinished,
    Failed,
    HookFinished,
    MeterChanged,
    Notice,
    PromptAccepted,
    RetryScheduled,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from agent.protocol.messages import Message
from agent.protocol.meter import Reading
from agent.protocol.results import Failure, Receipt
from agent.protocol.tools import ToolOutput
from tests.support.app_stage import make_app, shows, until, write
from tests.support.scripted_engine import DONE, TIERS_OFF, ScriptedEngine, Step, reading
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
FORECAST = """\
~168,000 → ~31,000 tokens · ~$0.09 · ~70 s · then ~22,000 tokens to the cache (~$0.07)

| After it | Tokens |
|---|---:|
| kept word for word: 12 messages | ~14,300 |
| summary of 188 messages (142,000 tokens) | ~4,000 |
| your own words | ~900 |
| file /repo/src/parse.py | ~2,800 |
| system prompt and tools | ~9,000 |

Of the cached conversation system prompt and tools stay valid (~9,000 tokens); the next turn writes the rest.
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


class Scene(NamedTuple):
    """An app, what is done in it before the picture is taken, and the size of the screen."""

    app: CcagentApp
    before: Callable[[Pilot[int]], Awaitable[None]]
    size: tuple[int, int]


def scene(engine: ScriptedEngine, act: Act, size: tuple[int, int] = SIZE) -> Scene:
    """The app on `engine`; `act` waits for what the picture is about."""
    app = make_app(engine)

    async def before(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: engine.started == 1)
        await act(app, pilot)

    return Scene(app, before, size)


def done(text: str) -> AssistantDone:
    message = Message("assistant", (Text(text=text),))
    return AssistantDone(uuid="a", message=message, message_id="m", model="x", stop_reason="end_turn", usage=None)


def called(
    name: str, title: str, details: Details | None = None, text: str = "done", *, error: bool = False
) -> list[Step]:
    output = ToolOutput(text, is_error=error, details=details)
    return [ToolStarted("t", name, {}, title), ToolFinished("t", name, title, output, 1_500)]


METERS: dict[str, Reading] = {
    "ok": reading(20_000),
    "warning": reading(140_000, estimated=True),
    "error": reading(158_000),
    "auto_compact": reading(168_500),
    "blocking": reading(178_000),
    "unknown": reading(None),
    "auto_off_warning": reading(150_000, tiers=TIERS_OFF),
    "auto_off_blocking": reading(178_000, tiers=TIERS_OFF),
}


def meter(found: Reading, width: int = 120) -> Scene:
    """The meter stands at `found`."""

    async def act(_app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "go")
        await shows(pilot, "the meter moved")

    return scene(ScriptedEngine([MeterChanged(found), Notice("info", "the meter moved"), DONE]), act, (width, 18))


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


def block(name: str) -> Scene:
    """A transcript with one kind of block."""

    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "go")
        await shows(pilot, "end of the script")
        await until(pilot, lambda: not app._runner.running)

    return scene(ScriptedEngine([*BLOCKS[name], Notice("info", "end of the script"), DONE]), act)


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
    "preview": Preview(
        "# Story\n\nWe fixed the parser.", 168_000, 31_000, report="rules 4/4 · files 9/9 · $0.09 spent"
    ),
    "forecast": Preview("", 168_000, 31_000, report=FORECAST, automatic=True),
    "rewind": Rewind("u", "Fix the parser."),
}


def question(name: str, size: tuple[int, int] = SIZE) -> Scene:
    """A question that waits."""

    async def act(app: CcagentApp, pilot: Pilot[int]) -> None:
        await write(pilot, "go on")
        await until(pilot, lambda: app.panel.has_focus)

    return scene(ScriptedEngine([PromptAccepted("u", "go on"), Asked("q", QUESTIONS[name]), DONE]), act, size)
