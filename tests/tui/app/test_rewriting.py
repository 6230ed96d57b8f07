"""An answer that carries a text: the person rewrites it in the panel, gives it, or goes back."""

import pytest

from agent.protocol.asks import Answer, Preview
from agent.protocol.events import Asked, PromptAccepted
from tests.support.app_stage import on_stage, rows_of, type_in, until, write
from tests.support.scripted_engine import DONE, ScriptedEngine

SUMMARY = "1. Primary Request:\nfix \x1b[31mthe parser [bold]"
PROPOSAL = Preview(SUMMARY, 168_000, 31_000, report="rules 2/2 · $0.03 spent")
FORECAST = Preview("", 168_000, 31_000, report="~168,000 → ~31,000 tokens", instructions="keep it")


def engine_for(question: Preview) -> ScriptedEngine:
    return ScriptedEngine([PromptAccepted("u", "go"), Asked("q", question), DONE])


async def test_the_summary_is_edited_and_given() -> None:
    engine = engine_for(PROPOSAL)
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: app.panel.has_focus)
        await pilot.press("e")
        await until(pilot, lambda: app.query_one("#rewrite").has_focus)
        assert "\x1b" not in app.query_one("#rewrite").text
        await type_in(pilot, "n1 ")  # letters are text now, not answers
        await pilot.press("enter", "ctrl+s")
        await until(pilot, lambda: "q" in engine.answers)
        assert engine.answers["q"].choice == "once"
        assert engine.answers["q"].edited.startswith("n1 \n1. Primary Request:\nfix ")
        await until(pilot, lambda: app.prompt.has_focus)
        assert app.prompt.text == ""


@pytest.mark.parametrize("height", [8, 12, 18, 24, 32, 60])
async def test_the_keys_of_the_editor_are_in_view_whatever_the_height(height: int) -> None:
    long = Preview("\n".join(f"line {number}" for number in range(300)), 168_000, 31_000)
    async with on_stage(engine_for(long), size=(90, height)) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: app.panel.has_focus)
        await pilot.press("e")
        await until(pilot, lambda: app.query_one("#rewrite").has_focus)
        hint, panel = app.query_one("#question-hint"), app.panel
        assert "Ctrl+S done · Esc back" in rows_of(app, "#question-hint")
        assert hint.size.height == 1
        assert hint.region.bottom <= panel.content_region.bottom
        assert panel.region.bottom <= app.query_one("#prompt-row").region.y
        assert app.query_one("#rewrite").size.height >= 1


@pytest.mark.parametrize(("question", "choice"), [(PROPOSAL, "deny"), (FORECAST, "once")])
async def test_instructions_are_given_with_a_yes_or_for_another_summary(question: Preview, choice: str) -> None:
    engine = engine_for(question)
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: app.panel.has_focus)
        await pilot.press("3")
        await until(pilot, lambda: app.query_one("#rewrite").has_focus)
        await type_in(pilot, " short")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "q" in engine.answers)
        assert engine.answers["q"] == Answer(choice, edited=f"{question.instructions} short")


async def test_escape_goes_back_to_the_answers_and_then_says_no() -> None:
    engine = engine_for(PROPOSAL)
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: app.panel.has_focus)
        await pilot.press("e")
        await until(pilot, lambda: app.query_one("#rewrite").has_focus)
        await pilot.press("escape")
        await until(pilot, lambda: app.panel.has_focus)
        assert engine.answers == {}
        assert "1. Yes, install it" in rows_of(app, "#answers")
        await pilot.press("escape")
        await until(pilot, lambda: "q" in engine.answers)
        assert engine.answers["q"] == Answer("deny")
        assert engine.interrupts == 0
