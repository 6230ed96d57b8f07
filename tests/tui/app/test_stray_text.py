"""Text that was meant for the prompt and came to a question: it answers nothing."""

import pytest
from textual import events

from agent.protocol.asks import Answer, Permission
from agent.protocol.events import Asked
from tests.support.app_stage import on_stage, rows_of, type_in, until, write
from tests.support.scripted_engine import DONE, ScriptedEngine

PERMISSION = Permission("Bash", "t1", "Bash rm -r build", {"command": "rm -r build"}, rule="Bash(rm:*)")


async def test_a_sentence_typed_into_a_question_is_no_answer() -> None:
    engine = ScriptedEngine([Asked("q", PERMISSION), DONE])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: app.panel.has_focus)
        await type_in(pilot, "run my tests 1")
        assert engine.answers == {}
        await pilot.pause(0.7)
        await type_in(pilot, "y")
        await until(pilot, lambda: engine.answers != {})
        assert engine.answers["q"] == Answer("once")


@pytest.mark.parametrize("pause", [0.0, 0.7])
async def test_the_enter_that_ends_a_sentence_typed_into_a_question_is_no_answer(pause: float) -> None:
    engine = ScriptedEngine([Asked("q", PERMISSION), DONE])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: app.panel.has_focus)
        await type_in(pilot, "what")
        assert "Typed text is no answer" in rows_of(app, "#question-hint")
        await pilot.pause(pause)
        await pilot.press("enter")
        assert (engine.answers, app.panel.is_open) == ({}, True)
        assert "Typed text" not in rows_of(app, "#question-hint")
        await pilot.pause(0.7)
        await pilot.press("enter")
        await until(pilot, lambda: engine.answers == {"q": Answer("once")})


async def test_a_paste_into_a_question_and_its_enter_are_no_answer() -> None:
    engine = ScriptedEngine([Asked("q", PERMISSION), DONE])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: app.panel.has_focus)
        app.post_message(events.Paste("y"))
        await pilot.press("enter")
        assert (engine.answers, app.panel.is_open, app.prompt.text) == ({}, True, "")


async def test_an_arrow_after_stray_text_makes_enter_an_answer() -> None:
    engine = ScriptedEngine([Asked("q", PERMISSION), DONE])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: app.panel.has_focus)
        await type_in(pilot, "hm")
        await pilot.pause(0.7)
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: engine.answers == {"q": Answer("deny")})
