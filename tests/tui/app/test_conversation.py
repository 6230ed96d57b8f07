"""A conversation in the app: what is said, asked, interrupted, queued and given back."""

from pathlib import Path

import pytest

from agent.protocol.asks import Answer, Permission
from agent.protocol.blocks import Text, Thinking
from agent.protocol.errors import MissingCredentials
from agent.protocol.events import (
    Asked,
    AssistantDone,
    CompactFinished,
    CompactStarted,
    ExitRequested,
    Failed,
    HistoryChanged,
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
from agent.protocol.results import Failure, Receipt
from agent.protocol.tools import ToolOutput
from tests.support.app_stage import make_app, on_stage, rows_of, shows, transcript, type_in, until, write
from tests.support.scripted_engine import DONE, ScriptedCompletion, ScriptedEngine, ScriptedStatus, Wait, reading


def answered(text: str, *before: Thinking) -> AssistantDone:
    message = Message("assistant", (*before, Text(text=text)))
    return AssistantDone(uuid="a", message=message, message_id="m", model="x", stop_reason="end_turn", usage=None)


def said(prompt: str, answer: str) -> list:
    return [PromptAccepted("u", prompt), TurnStarted(1), TextDelta(answer), answered(answer), DONE]


PERMISSION = Permission("Bash", "t1", "Bash rm -r build", {"command": "rm -r build"}, rule="Bash(rm:*)")


async def test_an_empty_conversation_says_which_program_works_where_until_it_begins() -> None:
    engine = ScriptedEngine(said("a", "one"), status=ScriptedStatus(offline=True))
    async with on_stage(engine) as (app, pilot):
        await shows(pilot, "ccagent 1.2.3 · claude-sonnet-5-5 · /home/ada/parser")
        assert "read README.md" in transcript(app)
        await write(pilot, "go")
        await shows(pilot, "one")
        assert "ccagent" not in transcript(app)
    async with on_stage(ScriptedEngine()) as (app, _pilot):
        assert transcript(app) == "ccagent 1.2.3 · claude-sonnet-5-5 · /home/ada/parser"
    async with on_stage(ScriptedEngine(history=said("a", "one")[:-1])) as (app, _pilot):
        assert "ccagent" not in transcript(app)


async def test_a_prompt_is_sent_and_its_answer_streams_in() -> None:
    engine = ScriptedEngine(
        [PromptAccepted("u", "hello"), TurnStarted(1), TextDelta("# He"), TextDelta("ad\n\nbo"), Wait()]
    )
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "hello")
        await shows(pilot, "❯ hello")
        await shows(pilot, "Head")
        assert engine.prompts == ["hello"]
        assert app.prompt.text == ""
        assert "Working…" in rows_of(app, "#activity")


async def test_the_first_prompt_is_sent_at_once() -> None:
    engine = ScriptedEngine(said("from the shell", "yes"))
    async with on_stage(engine, first_prompt="from the shell") as (_app, pilot):
        await shows(pilot, "yes")
        assert engine.prompts == ["from the shell"]


async def test_the_recorded_message_replaces_what_streamed_differently() -> None:
    engine = ScriptedEngine([PromptAccepted("u", "q"), TurnStarted(1), TextDelta("draft"), answered("final"), DONE])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "q")
        await shows(pilot, "final")
        assert "draft" not in transcript(app)


async def test_a_retry_voids_the_draft() -> None:
    retry = RetryScheduled(1, 10, 2.0, "Overloaded")
    engine = ScriptedEngine(
        [TurnStarted(1), ThinkingDelta("hm"), TextDelta("half"), retry, TextDelta("whole"), answered("whole"), DONE]
    )
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "q")
        await shows(pilot, "whole")
        assert "half" not in transcript(app)
        assert "Overloaded · trying again in 2s (1/10)" in transcript(app)


async def test_thinking_is_one_row_until_it_is_clicked() -> None:
    engine = ScriptedEngine(
        [
            TurnStarted(1),
            ThinkingDelta("deep thoughts"),
            TextDelta("ok"),
            answered("ok", Thinking(thinking="deep thoughts")),
            DONE,
        ]
    )
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "q")
        await shows(pilot, "Thought · 13 characters")
        assert "deep thoughts" not in transcript(app)
        await pilot.click("#transcript", offset=(4, 2))
        await shows(pilot, "deep thoughts")


async def test_a_call_shows_its_live_output_and_then_its_outcome() -> None:
    engine = ScriptedEngine(
        [
            ToolStarted("t", "Bash", {}, "Bash make"),
            ToolProgress("t", "building\n"),
            Wait(),
            ToolFinished("t", "Bash", "Bash make", ToolOutput("broken", is_error=True)),
            DONE,
        ]
    )
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "q")
        await shows(pilot, "│ building")
        assert "○ Bash make" in transcript(app)
        engine.go()
        await shows(pilot, "│ broken")
        assert "building" not in transcript(app)


async def test_permission_is_given_by_number_and_the_prompt_gets_the_keys_back() -> None:
    engine = ScriptedEngine([Asked("q", PERMISSION), *said("a", "done")], said("b", "next"))
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "clean")
        await until(pilot, lambda: app.panel.has_focus)
        assert "rm -r build" in rows_of(app, "#question")
        assert "2. Yes, and do not ask again in this session: Bash(rm:*)" in rows_of(app, "#answers")
        await pilot.press("2")
        await shows(pilot, "done")
        assert engine.answers == {"q": Answer("session")}
        assert not app.panel.is_open
        await type_in(pilot, "b")
        assert app.prompt.text == "b"


async def test_escape_denies_and_enter_takes_the_marked_answer() -> None:
    engine = ScriptedEngine([Asked("one", PERMISSION), Asked("two", PERMISSION), DONE])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await until(pilot, lambda: app.panel.has_focus)
        await pilot.press("escape")
        await until(pilot, lambda: "one" in engine.answers and app.panel.has_focus)
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: "two" in engine.answers)
        assert engine.answers == {"one": Answer("deny"), "two": Answer("deny")}
        assert engine.interrupts == 0


async def test_a_question_does_not_catch_what_is_being_typed() -> None:
    for _ in range(20):  # a slow machine makes a pause where none was meant
        engine = ScriptedEngine([Wait(), Asked("q", PERMISSION), DONE])
        async with on_stage(engine) as (app, pilot):
            await write(pilot, "go")
            await type_in(pilot, "y")
            engine.go()
            await until(pilot, lambda app=app: app.panel.is_open)
            await type_in(pilot, "n1")
            if (engine.answers, app.prompt.text) == ({}, "yn1"):
                return
    pytest.fail("the question took the keys at once")


async def test_escape_interrupts_and_keeps_what_is_typed() -> None:
    engine = ScriptedEngine([PromptAccepted("u", "go"), TextDelta("partial"), Wait()])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "go")
        await shows(pilot, "partial")
        await type_in(pilot, "/co")
        await pilot.press("escape")
        await shows(pilot, "Interrupted")
        assert engine.interrupts == 1
        assert app.prompt.text == "/co"


async def test_what_is_typed_meanwhile_is_queued_and_sent_next() -> None:
    engine = ScriptedEngine([PromptAccepted("u", "one"), Wait(), DONE], said("two", "second answer"))
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "one")
        await shows(pilot, "❯ one")
        await write(pilot, "two")
        await until(pilot, lambda: "two" in rows_of(app, "#queued"))
        engine.go()
        await shows(pilot, "second answer")
        assert engine.prompts == ["one", "two"]
        assert not app.query_one("#queued").display


async def test_up_takes_a_queued_prompt_back() -> None:
    engine = ScriptedEngine([PromptAccepted("u", "one"), Wait(), DONE])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "one")
        await shows(pilot, "❯ one")
        await write(pilot, "two")
        await until(pilot, lambda: app.query_one("#queued").display)
        await pilot.press("up")
        assert app.prompt.text == "two"
        await until(pilot, lambda: not app.query_one("#queued").display)
        assert "two" not in transcript(app)
        await pilot.press("ctrl+c", "escape")
        await shows(pilot, "Interrupted")
        await until(pilot, lambda: not app._runner.running)
        assert app.prompt.text == ""  # it was not sent, so nothing comes back


async def test_interrupting_gives_the_queue_back_in_order() -> None:
    engine = ScriptedEngine([PromptAccepted("u", "one"), Wait()])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "one")
        await shows(pilot, "❯ one")
        await write(pilot, "two")
        await write(pilot, "three")
        await until(pilot, lambda: "three" in rows_of(app, "#queued"))
        await pilot.press("escape")
        await until(pilot, lambda: app.prompt.text == "two\nthree")
        assert engine.prompts == ["one"]


async def test_a_held_prompt_comes_back_with_its_text() -> None:
    limit = Failed(Failure("Context limit reached · /compact or /clear to continue"))
    engine = ScriptedEngine([MeterChanged(reading(178_000)), limit, DONE])
    async with on_stage(engine, size=(120, 30)) as (app, pilot):
        await write(pilot, "a long thought")
        await shows(pilot, "Context limit reached")
        await until(pilot, lambda: app.prompt.text == "a long thought")
        assert app.query_one("#prompt-row").has_class("held")
        assert "Context limit reached · /compact or /clear to continue" in rows_of(app, "#footer")


async def test_auto_compaction_is_seen_and_the_meter_falls() -> None:
    receipt = Receipt(
        trigger="auto", boundary="b", pre_tokens=168_000, post_tokens=31_000, summary="# The story", cost=0.05
    )
    engine = ScriptedEngine(
        [
            MeterChanged(reading(168_000)),
            CompactStarted("auto", 168_000),
            HookFinished(
                id="h", event="PreCompact", command="notify.sh", outcome="ok", text="keep names", duration_ms=12
            ),
            Wait(),
            CompactFinished(receipt),
            MeterChanged(reading(31_000, estimated=True)),
            DONE,
        ]
    )
    async with on_stage(engine, size=(120, 30)) as (app, pilot):
        await write(pilot, "go")
        await shows(pilot, "PreCompact hook ok · 12ms · notify.sh")
        assert "Compacting conversation… · 0s" in rows_of(app, "#activity")
        assert "168,000 / 200,000" in rows_of(app, "#footer")
        engine.go()
        await shows(pilot, "Conversation compacted · 168,000 → 31,000 tokens (auto)")
        await until(pilot, lambda: "~31,000 / 200,000" in rows_of(app, "#footer"))


async def test_a_resumed_conversation_is_shown() -> None:
    history = [
        PromptAccepted("u", "before"),
        answered("as it was"),
        ToolFinished("t", "Read", "Read a.py", ToolOutput("x")),
    ]
    async with on_stage(ScriptedEngine(history=history)) as (app, pilot):
        await shows(pilot, "as it was")
        assert "❯ before" in transcript(app)
        assert "● Read a.py" in transcript(app)


async def test_clearing_draws_the_conversation_anew() -> None:
    engine = ScriptedEngine(
        [*said("one", "first")[:-1], HistoryChanged("clear"), Notice("info", "New conversation."), DONE]
    )
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "one")
        await shows(pilot, "New conversation.")
        assert "first" not in transcript(app)


async def test_a_notice_of_no_prompt_is_shown_literally() -> None:
    engine = ScriptedEngine(background=[Notice("warning", "odd [red]thing[/] [@click=app.quit]x[/]")])
    async with on_stage(engine) as (_app, pilot):
        await shows(pilot, "odd [red]thing[/] [@click=app.quit]x[/]")


async def test_a_shell_command_of_ones_own() -> None:
    engine = ScriptedEngine([Notice("output", "a.py"), DONE])
    async with on_stage(engine) as (_app, pilot):
        await write(pilot, "!ls")
        await shows(pilot, "a.py")
        assert (engine.shells, engine.prompts) == (["ls"], [])


async def test_the_resume_list_is_picked_from() -> None:
    sessions = [ScriptedCompletion("/resume aaa", "fix the parser"), ScriptedCompletion("/resume bbb", "write docs")]
    engine = ScriptedEngine([Notice("info", "Resumed bbb."), DONE], sessions=sessions)
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "/resume")
        await until(pilot, lambda: app.picker.has_focus)
        await pilot.press("down", "enter")
        await shows(pilot, "Resumed bbb.")
        assert engine.prompts == ["/resume bbb"]


async def test_shift_tab_cycles_the_mode() -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (app, pilot):
        for mode, words in (("acceptEdits", "accept edits"), ("plan", "plan"), ("default", "ask first")):
            await pilot.press("shift+tab")
            assert engine.status().mode == mode
            await until(pilot, lambda words=words: words in rows_of(app, "#footer"))


async def test_control_c_clears_then_leaves_and_the_session_is_closed_once() -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (app, pilot):
        await type_in(pilot, "half a thought")
        await pilot.press("ctrl+c")
        assert app.prompt.text == ""
        assert "Ctrl+C again leaves" in rows_of(app, "#activity")
        await pilot.press("up")
        assert app.prompt.text == "half a thought"
        await pilot.press("ctrl+c")
        assert (app.prompt.text, app.is_running) == ("", True)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not app.is_running)
    assert (app.return_code, engine.closed) == (0, 1)


async def test_control_d_leaves_only_when_the_prompt_is_empty() -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (app, pilot):
        await type_in(pilot, "x")
        await pilot.press("ctrl+d")
        assert app.is_running
        await pilot.press("backspace", "ctrl+d")
        await until(pilot, lambda: not app.is_running)
    assert engine.closed == 1


async def test_the_engine_may_ask_to_leave() -> None:
    engine = ScriptedEngine([ExitRequested(), DONE])
    async with on_stage(engine) as (app, pilot):
        await write(pilot, "bye")
        await until(pilot, lambda: not app.is_running)
    assert engine.closed == 1


async def test_no_session_no_app(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    app = make_app(engine)
    error = MissingCredentials("No key.")

    async def refuse() -> ScriptedEngine:
        raise error

    app._open_engine = refuse
    async with app.run_test() as pilot:
        await until(pilot, lambda: not app.is_running)
    assert app.failure is error


async def test_few_widgets_however_long_the_conversation() -> None:
    history = [
        event for number in range(300) for event in (PromptAccepted(str(number), f"prompt {number}"), answered("text"))
    ]
    async with on_stage(ScriptedEngine(history=history)) as (app, _pilot):
        assert len(app.view.stack.items) == 600
        assert len(app.query("*")) <= 30
