"""Scrolling, following, resizing, selecting: what the person looks at stays where it is."""

import pytest

from agent.protocol.blocks import Text
from agent.protocol.details import Details, FileText
from agent.protocol.events import (
    AssistantDone,
    Event,
    PromptAccepted,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from agent.protocol.messages import Message
from agent.protocol.tools import ToolOutput
from tests.support.app_stage import on_stage, rows_of, shows, transcript, until, write
from tests.support.scripted_engine import DONE, ScriptedEngine, Wait
from tui.app.app import CcagentApp
from tui.app.pager import Pager


def conversation(count: int) -> list[Event]:
    events: list[Event] = []
    for number in range(count):
        words = " ".join(f"w{number}.{at}" for at in range(number % 40 + 1))
        text = f"{words}\n\n- item {number}\n- more\n"
        message = Message("assistant", (Text(text=text),))
        events.append(PromptAccepted(str(number), f"prompt {number}"))
        events.append(
            AssistantDone(
                uuid=str(number), message=message, message_id="m", model="x", stop_reason="end_turn", usage=None
            )
        )
    return events


def visible(app: CcagentApp) -> list[str]:
    top = int(app.view.scroll_y)
    return [app.view.stack.row(top + y).text for y in range(app.view.size.height)]


async def test_it_opens_at_the_end() -> None:
    async with on_stage(ScriptedEngine(history=conversation(200))) as (app, _pilot):
        assert app.view.following
        assert visible(app)[-1] == "• more"
        assert "prompt 199" in "\n".join(visible(app))


@pytest.mark.parametrize("step", [1, 5])
async def test_scrolling_up_shows_every_row_once_although_heights_were_guessed(step: int) -> None:
    async with on_stage(ScriptedEngine(history=conversation(120))) as (app, pilot):
        for _ in range(60):
            before = visible(app)
            app.view.scroll_relative(y=-step, animate=False)
            await pilot.pause()
            assert visible(app)[step:] == before[: len(before) - step]


async def test_home_reaches_the_first_prompt_and_end_follows_again() -> None:
    async with on_stage(ScriptedEngine(history=conversation(150))) as (app, pilot):
        await pilot.press("home")
        await until(pilot, lambda: visible(app)[0] == "❯ prompt 0")
        assert "↓ more below (End)" in rows_of(app, "#activity")
        await pilot.press("end")
        await until(pilot, lambda: app.view.following)
        assert "more below" not in rows_of(app, "#activity")


async def test_reading_back_is_not_disturbed_by_new_text_or_by_focus() -> None:
    engine = ScriptedEngine(
        [TurnStarted(1), TextDelta("start\n\n"), Wait(), *[TextDelta(f"line {n}\n\n") for n in range(200)], Wait()],
        history=conversation(40),
    )
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await shows(pilot, "start")
        await pilot.press("pageup", "pageup")
        before = visible(app)
        assert not app.view.following
        engine.go()
        await until(pilot, lambda: app.view.stack.total > 0 and "line 199" in transcript(app))
        assert visible(app) == before
        app.app_focus = False
        app.app_focus = True
        await pilot.pause()
        assert visible(app) == before


async def test_streaming_is_followed() -> None:
    engine = ScriptedEngine([TurnStarted(1), *[TextDelta(f"line {n}\n\n") for n in range(200)], Wait()])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: "line 199" in "\n".join(visible(app)))
        assert app.view.following


async def test_a_resize_keeps_the_item_on_top() -> None:
    async with on_stage(ScriptedEngine(history=conversation(100)), size=(100, 30)) as (app, pilot):
        app.view.scroll_relative(y=-150, animate=False)
        await pilot.pause()
        stack = app.view.stack
        before = stack.index_at(int(app.view.scroll_y))
        for size in ((60, 30), (140, 20), (100, 30)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: stack.width == size[0] - 2)
            assert abs(stack.index_at(int(app.view.scroll_y)) - before) <= 1


async def test_a_narrow_terminal_and_back() -> None:
    async with on_stage(ScriptedEngine(history=conversation(20))) as (app, pilot):
        await pilot.resize_terminal(12, 8)
        await pilot.pause()
        await pilot.resize_terminal(90, 30)
        await until(pilot, lambda: visible(app)[-1] == "• more")


async def test_in_twenty_columns_no_word_is_cut_off() -> None:
    async with on_stage(ScriptedEngine(history=conversation(20)), size=(20, 8)) as (app, pilot):
        await until(pilot, lambda: app.view.stack.width == app.view.scrollable_content_region.width)


async def test_a_selection_across_messages_is_copied_without_our_wraps() -> None:
    text = "one two three four five six seven eight nine ten eleven twelve"
    message = Message("assistant", (Text(text=text),))
    history = [
        PromptAccepted("1", "hello there"),
        AssistantDone(uuid="a", message=message, message_id="m", model="x", stop_reason="x", usage=None),
    ]
    async with on_stage(ScriptedEngine(history=history), size=(40, 20)) as (app, pilot):
        await shows(pilot, "twelve")
        await pilot.mouse_down("#transcript", offset=(2, 0))
        await pilot.hover("#transcript", offset=(30, 3))
        await pilot.mouse_up("#transcript", offset=(30, 3))
        assert app.screen.get_selected_text() == f"hello there\n\n{text}"
        assert app.focused is app.prompt
        await pilot.press("ctrl+c")
        assert app.clipboard == f"hello there\n\n{text}"
        assert app.is_running


@pytest.mark.parametrize("details", [None, FileText("row", 1, 100, 100)])
async def test_control_o_opens_the_last_call_whole_and_escape_closes_it(details: Details | None) -> None:
    output = ToolOutput("\n".join(f"row {n}" for n in range(100)), details=details)
    engine = ScriptedEngine(
        [ToolStarted("t", "Grep", {}, "Grep row"), ToolFinished("t", "Grep", "Grep row", output), DONE]
    )
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await shows(pilot, "● Grep row")
        assert "row 99" not in transcript(app)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: isinstance(app.screen, Pager))
        await pilot.press("end")
        await until(pilot, lambda: "row 99" in app.export_screenshot(simplify=True).replace("&#160;", " "))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, Pager))
        assert app.focused is app.prompt
        assert engine.interrupts == 0


@pytest.mark.parametrize("details", [None, FileText("row", 1, 2, 2)])
async def test_a_click_opens_a_call_and_another_closes_it(details: Details | None) -> None:
    history = [ToolFinished("t", "Grep", "Grep row", ToolOutput("row 1\nrow 2", details=details))]
    async with on_stage(ScriptedEngine(history=history)) as (app, pilot):
        await shows(pilot, "● Grep row")
        assert "│ row 2" not in transcript(app)
        await pilot.click("#transcript", offset=(3, 0))
        await shows(pilot, "│ row 2")
        await pilot.click("#transcript", offset=(3, 0), times=1)
        await until(pilot, lambda: "│ row 2" not in transcript(app))


async def test_what_was_recorded_before_comes_page_by_page_when_one_scrolls_to_its_top() -> None:
    history = [PromptAccepted(str(n), f"prompt {n}") for n in range(200)]
    async with on_stage(ScriptedEngine(history=history, page=60), size=(90, 24)) as (app, pilot):
        await shows(pilot, "prompt 199")
        assert "prompt 139" not in transcript(app)
        app.view.scroll_to(y=5, animate=False)
        await pilot.pause()
        assert "prompt 139" not in transcript(app)
        app.view.scroll_to(y=0, animate=False)
        await until(pilot, lambda: "prompt 80" in transcript(app))
        assert app.view.stack.row(int(app.view.scroll_y)).text.strip() == "❯ prompt 140"
        assert "prompt 79" not in transcript(app)
        await pilot.press("ctrl+home")
        await until(pilot, lambda: app.view.stack.row(int(app.view.scroll_y)).text.strip() == "❯ prompt 0")
        assert [row for row in transcript(app).splitlines() if row] == [f"❯ prompt {n}" for n in range(200)]
        await pilot.press("ctrl+end")
        await until(pilot, lambda: app.view.following)
