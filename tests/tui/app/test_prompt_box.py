"""The prompt: lines, pastes, history, completion."""

import os
from pathlib import Path

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.pilot import Pilot

from tests.support.app_stage import on_stage, rows_of, type_in, until, write
from tests.support.scripted_engine import ScriptedEngine
from tui.app.app import CcagentApp
from tui.app.items import UserItem
from tui.app.pastes import Pastes
from tui.app.prompt_history import PromptHistory
from tui.render.theme import DARK


async def paste(pilot: Pilot[int], app: CcagentApp, text: str) -> None:
    app.prompt.post_message(events.Paste(text))
    await pilot.pause()


@pytest.mark.parametrize("key", ["shift+enter", "ctrl+j", "alt+enter"])
async def test_keys_for_a_new_line(key: str) -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (_app, pilot):
        await pilot.press("a", key, "b", "enter")
        await until(pilot, lambda: engine.prompts == ["a\nb"])


async def test_backslash_enter_is_a_new_line() -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (_app, pilot):
        await pilot.press("a", "backslash", "enter", "b", "enter")
        await until(pilot, lambda: engine.prompts == ["a\nb"])


async def test_blank_is_not_sent() -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (_app, pilot):
        await pilot.press("space", "enter", "x", "enter")
        await until(pilot, lambda: engine.prompts == [" x"])


async def test_a_large_paste_is_folded_and_sent_whole_in_its_place() -> None:
    engine = ScriptedEngine()
    big = "".join(f"line {number} é漢\r\n" for number in range(20_000))
    async with on_stage(engine) as (app, pilot):
        await type_in(pilot, "Explain: ")
        await paste(pilot, app, big)
        assert app.prompt.text == "Explain: [Pasted #1 - 20000 lines]"
        await type_in(pilot, " thanks")
        await pilot.press("enter")
        await until(pilot, lambda: engine.prompts)
        assert engine.prompts == [f"Explain: {big.replace(chr(13), '')} thanks"]


async def test_a_small_paste_is_text_and_never_sends() -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (app, pilot):
        await paste(pilot, app, "one\ntwo\n")
        assert app.prompt.text == "one\ntwo\n"
        assert engine.prompts == []


async def test_a_paste_with_escapes_never_reaches_the_screen_but_is_sent() -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (app, pilot):
        await paste(pilot, app, "\x1b[2Jboo")
        assert app.prompt.text == "[Pasted #1 - 1 line]"
        await pilot.press("enter")
        await until(pilot, lambda: engine.prompts == ["\x1b[2Jboo"])


async def test_backspace_takes_a_placeholder_away_as_one() -> None:
    async with on_stage(ScriptedEngine()) as (app, pilot):
        await paste(pilot, app, "x" * 5_000)
        await pilot.press("backspace")
        assert app.prompt.text == ""


async def test_backspaces_take_whole_graphemes_or_code_points_until_nothing_is_left() -> None:
    text = "〽👩\u200d👩\u200d👧\u200d👦🇩🇪ก็a"
    async with on_stage(ScriptedEngine()) as (app, pilot):
        app.prompt.insert(text)
        presses = 0
        while app.prompt.text:
            await pilot.press("backspace")
            presses += 1
        assert presses <= len(text)


async def test_history_is_walked_at_the_edges_and_kept_between_runs(tmp_path: Path) -> None:
    file = tmp_path / "state" / "history"
    async with on_stage(ScriptedEngine(), history=file) as (_app, pilot):
        await write(pilot, "first")
        await write(pilot, "second\nof two lines")
    async with on_stage(ScriptedEngine(), history=file) as (app, pilot):
        await type_in(pilot, "draft")
        await pilot.press("up")
        assert app.prompt.text == "second\nof two lines"
        await pilot.press("up", "up")
        assert app.prompt.text == "first"
        await pilot.press("down", "down", "down")
        assert app.prompt.text == "draft"


async def test_a_command_is_completed_with_tab_and_sent_with_enter() -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (app, pilot):
        await type_in(pilot, "/co")
        await until(pilot, lambda: app.completer.is_open)
        assert "/compact" in rows_of(app, "#completions")
        await pilot.press("down", "tab")
        assert app.prompt.text == "/context"
        await until(pilot, lambda: not app.completer.is_open)
        await pilot.press("enter")
        await until(pilot, lambda: engine.prompts == ["/context"])


async def test_enter_takes_the_marked_command() -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (app, pilot):
        await type_in(pilot, "/cl")
        await until(pilot, lambda: app.completer.is_open)
        await pilot.press("enter")
        await until(pilot, lambda: engine.prompts == ["/clear"])


async def test_enter_on_a_file_only_completes_it() -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (app, pilot):
        await type_in(pilot, "read @se")
        await until(pilot, lambda: app.completer.is_open)
        assert "@setup.py" in rows_of(app, "#completions")
        await pilot.press("enter")
        assert app.prompt.text == "read @setup.py "
        assert engine.prompts == []
        await type_in(pilot, "now")
        assert app.prompt.text == "read @setup.py now"


async def test_escape_closes_the_completions_until_the_text_changes() -> None:
    async with on_stage(ScriptedEngine()) as (app, pilot):
        await type_in(pilot, "/c")
        await until(pilot, lambda: app.completer.is_open)
        await pilot.press("escape")
        assert not app.query_one("#completions").display
        await type_in(pilot, "o")
        await until(pilot, lambda: app.completer.is_open)


def test_a_placeholder_that_was_typed_is_only_text() -> None:
    pastes = Pastes()
    assert pastes.expand("[Pasted #7 - 3 lines]") == "[Pasted #7 - 3 lines]"
    mark = pastes.fold("[Pasted #1 - 2 lines]\n" * 50)
    assert pastes.expand(mark) == "[Pasted #1 - 2 lines]\n" * 50


def test_history_survives_a_folder_in_its_place_and_foreign_bytes(tmp_path: Path) -> None:
    PromptHistory(tmp_path).add("cannot be written")
    file = tmp_path / "history"
    file.write_bytes(b"\n# 2026-01-01 00:00:00.000000\n+one\n+two \xff\n\n# x\n+three\n")
    history = PromptHistory(file)
    assert [history.older(""), history.older("")] == ["three", "one\ntwo �"]
    history.add("four\nfive")
    assert PromptHistory(file).older("") == "four\nfive"
    assert file.stat().st_mode & 0o777 in (0o600, 0o644)


def test_a_history_that_is_a_pipe_is_neither_waited_for_nor_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "history")
    history = PromptHistory(tmp_path / "history")
    history.add("remembered for this session")
    assert history.older("") == "remembered for this session"


def test_of_a_huge_history_the_end_is_read(tmp_path: Path) -> None:
    file = tmp_path / "history"
    file.write_bytes(b"\n# x\n+first\n" + b"# filler\n" * 1_000_000 + b"\n# x\n+last\n")
    history = PromptHistory(file)
    assert [history.older(""), history.older("")] == ["last", None]


def test_a_prompt_with_other_line_ends_comes_back_whole(tmp_path: Path) -> None:
    PromptHistory(tmp_path / "history").add(prompt := "one\u2028two\x0cthree\x85four\nfive")
    assert PromptHistory(tmp_path / "history").older("") == prompt


def test_a_huge_prompt_is_not_written_to_the_history(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "history")
    history.add("x" * 100_000)
    assert not (tmp_path / "history").exists()
    assert history.older("") == "x" * 100_000


def test_a_prompt_of_one_endless_line_takes_no_more_room_than_a_page() -> None:
    rows = UserItem("x" * 1_000_000).rows(100, DARK)
    assert len(rows) == 13
    assert rows[len(rows) - 1].text.strip() == "… 998,812 more characters (ctrl+o)"


@pytest.mark.parametrize(
    ("lines", "rows", "last"), [(12, 12, "line 11"), (13, 13, "line 12"), (14, 13, "… 2 more lines (ctrl+o)")]
)
def test_a_prompt_of_many_lines_shows_its_head(lines: int, rows: int, last: str) -> None:
    item = UserItem("\n".join(f"line {number}" for number in range(lines)) + "\n")
    shown = item.rows(100, DARK)
    assert (len(shown), shown[len(shown) - 1].text.strip()) == (rows, last)
    assert len(item.whole(100, DARK)) == lines


async def test_the_joiners_inside_words_and_emoji_can_be_typed() -> None:
    engine = ScriptedEngine()
    words = "می\u200cخواهم 👩\u200d👧"
    async with on_stage(engine) as (app, pilot):
        for event in XTermParser().feed(words):
            app.prompt.post_message(event)
            await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda: engine.prompts == [words])
