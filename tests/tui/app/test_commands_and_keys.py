"""Commands, keys and lists of the app: what opens, what is chosen, and what stands there afterwards."""

from pathlib import Path

import pytest
from textual.geometry import Region
from textual.pilot import Pilot

from agent.protocol.asks import Permission, Trust, TrustItem
from agent.protocol.events import (
    Asked,
    CompactFailed,
    CompactFinished,
    CompactProgress,
    CompactStarted,
    Failed,
    HistoryChanged,
    HookFinished,
    HookStarted,
    MeterChanged,
    Notice,
    PromptAccepted,
    TextDelta,
    ToolProgress,
    ToolStarted,
)
from agent.protocol.results import Failure, Receipt
from tests.support.app_stage import on_stage, rows_of, shows, transcript, type_in, until, write
from tests.support.scripted_engine import DONE, ScriptedCompletion, ScriptedEngine, Wait, reading
from tui.app.app import CcagentApp
from tui.app.prompt_history import PromptHistory

RECEIPT = Receipt(trigger="manual", boundary="b", pre_tokens=168_000, post_tokens=31_000, summary="# Story", cost=0.05)


async def test_escape_twice_on_an_empty_line_lists_the_prompts_and_the_chosen_one_comes_back_for_editing() -> None:
    prompts = [ScriptedCompletion("/rewind 2", "fix the parser"), ScriptedCompletion("/rewind 1", "read it")]
    history = [PromptAccepted("1", "read it"), PromptAccepted("2", "fix the parser")]
    engine = ScriptedEngine([HistoryChanged("rewind", prompt="fix the parser"), DONE], history=history, points=prompts)
    async with on_stage(engine) as (app, pilot):
        await shows(pilot, "fix the parser")
        await pilot.press("escape")
        assert "Esc again" in rows_of(app, "#activity")
        await pilot.press("escape")
        await until(pilot, lambda: app.picker.has_focus)
        await pilot.press("enter")
        await until(pilot, lambda: app.prompt.text == "fix the parser")
        assert engine.prompts == ["/rewind 2"]


async def test_escape_on_a_written_line_goes_nowhere() -> None:
    async with on_stage(ScriptedEngine(points=[ScriptedCompletion("/rewind 1", "x")])) as (app, pilot):
        await type_in(pilot, "half")
        await pilot.press("escape", "escape", "escape")
        assert (app.prompt.text, app.picker.is_open) == ("half", False)


async def test_a_command_stands_in_the_transcript_before_what_it_says() -> None:
    engine = ScriptedEngine([Notice("output", "Model: x"), DONE], [PromptAccepted("u", "/own words"), DONE])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "/model x")
        await shows(pilot, "Model: x")
        assert transcript(app).splitlines() == ["❯ /model x", "", "Model: x"]
        await write(pilot, "/own words")
        await until(pilot, lambda: not app._runner.running)
        assert transcript(app).count("❯ /own words") == 1


async def test_keys_faster_than_the_offers_never_take_an_offer_for_an_earlier_text() -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (app, pilot):
        await type_in(pilot, "/")
        await until(pilot, lambda: app.completer.is_open)
        app.prompt.insert("model opus")
        app.prompt._enter()
        await until(pilot, lambda: engine.prompts)
        assert engine.prompts == ["/model opus"]


async def test_what_is_asked_between_two_prompts_leaves_no_trace_in_the_activity_row() -> None:
    question = Trust("/repo", (TrustItem("hook", "x", "s"),))
    hook = HookFinished(id="h", event="SessionStart", command="x", outcome="ok")
    engine = ScriptedEngine(background=[Asked("q", question), HookStarted("h", "SessionStart", "x"), Wait(), hook])
    async with on_stage(engine) as (app, pilot):
        await until(pilot, lambda: app.panel.has_focus)
        assert "Waiting for your answer…" in rows_of(app, "#activity")
        await pilot.press("y")
        await until(pilot, lambda: "SessionStart hook" in rows_of(app, "#activity"))
        engine.go()
        await shows(pilot, "SessionStart hook ok")
        assert rows_of(app, "#activity").strip() == ""


async def test_a_call_that_was_interrupted_says_so_and_keeps_what_it_printed() -> None:
    engine = ScriptedEngine([ToolStarted("t", "Bash", {}, "Bash make"), ToolProgress("t", "half\n"), Wait()])
    async with on_stage(engine) as (_app, pilot):
        await write(pilot, "go")
        await shows(pilot, "○ Bash make")
        await pilot.press("escape")
        await shows(pilot, "● Bash make  interrupted\n  │ half")


async def test_why_a_compaction_failed_is_said_once() -> None:
    failure = Failure("The conversation is too short.", do="Say more.")
    engine = ScriptedEngine([CompactFailed("manual", failure.line), Failed(failure), DONE], [Failed(failure), DONE])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "/compact")
        await shows(pilot, "Compaction failed")
        await until(pilot, lambda: not app._runner.running)
        assert transcript(app).count("too short") == 1
        await write(pilot, "/compact")
        await shows(pilot, "✗ The conversation is too short.")


async def test_question_mark_on_an_empty_line_shows_the_keys() -> None:
    async with on_stage(ScriptedEngine()) as (app, pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await type_in(pilot, "what")
        await pilot.press("question_mark")
        assert app.prompt.text == "what?"


async def test_a_second_control_c_clears_what_was_typed_since() -> None:
    async with on_stage(ScriptedEngine()) as (app, pilot):
        await pilot.press("ctrl+c")
        await type_in(pilot, "more")
        await pilot.press("ctrl+c")
        assert (app.prompt.text, app._leaving) == ("", False)


async def test_a_second_control_c_leaves_although_the_prompt_has_come_back_meanwhile(tmp_path: Path) -> None:
    engine = ScriptedEngine([Wait()])  # not taken in yet
    async with on_stage(engine, history=tmp_path / "history") as (app, pilot):
        await write(pilot, "one")
        await until(pilot, lambda: app._runner.running)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.prompt.text == "one")
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not app.is_running)
    assert PromptHistory(tmp_path / "history").older("") == "one"


async def test_what_was_not_sent_is_remembered(tmp_path: Path) -> None:
    async with on_stage(ScriptedEngine(), history=tmp_path / "history") as (app, pilot):
        await type_in(pilot, "half a thought")
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running)
    assert PromptHistory(tmp_path / "history").older("") == "half a thought"


@pytest.mark.parametrize("between", ["up", "left", "x"])
async def test_any_key_between_two_control_c_keeps_the_app(between: str) -> None:
    async with on_stage(ScriptedEngine()) as (app, pilot):
        await type_in(pilot, "a long prompt")
        await pilot.press("ctrl+c", between, "ctrl+c")
        assert app._leaving is False
        await pilot.press("ctrl+c")
        assert app._leaving is True


async def test_what_is_typed_during_a_compaction_is_shown_and_sent_after_it() -> None:
    compacted = [MeterChanged(reading(31_000)), CompactFinished(RECEIPT), DONE]
    engine = ScriptedEngine([CompactStarted("manual", 168_000), CompactProgress(900), Wait(), *compacted])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "/compact")
        await until(pilot, lambda: "Compacting conversation… · 0s · 900 characters" in rows_of(app, "#activity"))
        await write(pilot, "and then the tests")
        await until(pilot, lambda: "and then the tests  queued" in rows_of(app, "#queued"))
        engine.go()
        await until(pilot, lambda: engine.prompts == ["/compact", "and then the tests"])
        assert not app.query_one("#queued").display


@pytest.mark.parametrize("size", [(120, 40), (100, 24), (80, 18), (60, 16), (50, 11), (40, 10), (30, 8)])
async def test_a_question_of_any_length_leaves_its_answers_and_the_meter_in_view(size: tuple[int, int]) -> None:
    question = Permission("Bash", "t", "Bash x", {"command": "echo\n" * 200}, rule="Bash(echo)")
    async with on_stage(ScriptedEngine([Asked("q", question), DONE]), size=size) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: app.panel.has_focus)
        screen = Region(0, 0, *size)
        for selector in ("#question", "#answers", "#prompt", "#footer"):
            widget = app.query_one(selector)
            assert widget.region.height > 0
            assert screen.contains_region(widget.region), selector
        assert app.query_one("#answers").region.height == 3
        assert app.query_one("#question-body").region.height >= 1


async def test_a_prompt_stands_in_the_transcript_at_once_and_only_once_when_it_is_on_record() -> None:
    engine = ScriptedEngine([Wait(), PromptAccepted("u", "slow start"), Notice("info", "on record"), DONE])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "slow start")
        await shows(pilot, "❯ slow start")
        engine.go()
        await shows(pilot, "on record")
        assert transcript(app).count("❯ slow start") == 1


async def test_a_prompt_that_was_not_taken_stands_in_the_box_and_nowhere_else() -> None:
    async with on_stage(ScriptedEngine([Wait()])) as (app, pilot):
        await write(pilot, "never mind")
        await shows(pilot, "❯ never mind")
        await pilot.press("escape")
        await until(pilot, lambda: app.prompt.text == "never mind")
        assert "never mind" not in transcript(app)


async def test_resuming_without_saying_which_asks_at_once() -> None:
    sessions = [ScriptedCompletion("/resume 111", "yesterday"), ScriptedCompletion("/resume 222", "last week")]
    engine = ScriptedEngine(sessions=sessions)
    async with on_stage(engine, first_prompt="/resume") as (app, pilot):
        await until(pilot, lambda: app.picker.has_focus)
        await pilot.press("down", "enter")
        await until(pilot, lambda: engine.prompts == ["/resume 222"])


SMALL = [(90, 24), (90, 17), (60, 10), (20, 6)]


def on_screen(app: CcagentApp) -> str:
    """What a person sees."""
    return "\n".join("".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips())


@pytest.mark.parametrize("size", SMALL)
async def test_the_marked_choice_and_the_meter_stay_in_view_however_small_the_screen(size: tuple[int, int]) -> None:
    engine = ScriptedEngine(sessions=[ScriptedCompletion(f"/resume {n}", f"talk {n}") for n in range(200)])
    async with on_stage(engine, size=size) as (app, pilot):
        await write(pilot, "/resume")
        await until(pilot, lambda: app.picker.has_focus)
        for step in range(14):
            await until(pilot, lambda step=step: f"❯ talk {step}" in on_screen(app))
            assert "20,000" in on_screen(app)
            await pilot.press("down")
        await pilot.resize_terminal(40, 7)
        await until(pilot, lambda: "❯ talk 14" in on_screen(app))
        await pilot.press("escape")
        await type_in(pilot, "/")
        for step in ("/compact", "/context", "/clear"):
            await until(pilot, lambda step=step: f"❯ {step}" in on_screen(app))
            assert "20,000" in on_screen(app)
            await pilot.press("down")


@pytest.mark.parametrize("size", SMALL)
async def test_the_marked_answer_is_in_view_however_small_the_screen(size: tuple[int, int]) -> None:
    ask = Permission(
        tool="Write",
        tool_use_id="t",
        title="Write some/folder/rehearsal-permissions.txt",
        input={},
        rule="Write",
        reason="",
    )
    async with on_stage(ScriptedEngine([Asked("q", ask), DONE]), size=size) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: app.panel.has_focus)
        for answer in ("1. Yes", "2. Yes", "3. No", "1. Yes"):
            await until(pilot, lambda answer=answer: f"❯ {answer}" in on_screen(app))
            await pilot.press("down")


async def through(pilot: Pilot[int], sizes: list[tuple[int, int]]) -> None:
    for size in sizes:
        await pilot.resize_terminal(*size)
        assert pilot.app.is_running, f"it died at {size}"


async def test_no_screen_is_too_small_to_live() -> None:
    ask = Permission(tool="Bash", tool_use_id="t", title="Bash make 日本", input={}, rule="Bash", reason="")
    answer = "# A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n```\n- 日本\n\n> quoted\n"
    sizes = [(columns, rows) for columns in range(1, 9) for rows in (1, 3, 12)]
    engine = ScriptedEngine([PromptAccepted("u", "go 日本"), TextDelta(answer), Asked("q", ask), DONE])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: app.panel.has_focus)
        await through(pilot, sizes)
        await pilot.press("escape")
        await until(pilot, lambda: not app._runner.running)
        for text in ("", "/", "/resume 日本語\nand more"):
            app.prompt.put("")
            app.prompt.insert(text)
            await through(pilot, sizes)
        await pilot.resize_terminal(90, 30)
        await until(pilot, lambda: "❯ /resume 日本語" in on_screen(app))
