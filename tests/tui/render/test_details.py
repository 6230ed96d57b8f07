"""Diffs, command output, matches and files as rows and in words."""

import pytest

from agent.protocol.details import CommandOutput, Details, FileDiff, FileText, Hunk, Matches, PlainText
from agent.protocol.tools import ToolOutput
from tui.render.details import details_rows, details_words, duration, more_row, opened_rows, output_rows
from tui.render.diff import diff_rows
from tui.render.lines import copied_text
from tui.render.theme import DARK

DIFF = FileDiff(
    path="a.py",
    created=False,
    added=2,
    removed=1,
    hunks=(
        Hunk(9, 3, 9, 4, (" def f():", "-    return 1", "+    x = [1]\t# tab", "+    return x", " ")),
        Hunk(99, 1, 100, 1, (" end",)),
    ),
)


def texts(details: Details, limit: int | None = None) -> list[str]:
    return [row.text.rstrip() for row in details_rows(details, 30, DARK, limit).rows]


def test_a_diff_numbers_old_and_new_lines() -> None:
    assert texts(DIFF) == [
        "  9   def f():",
        " 10 -     return 1",
        " 10 +     x = [1] # tab",
        " 11 +     return x",
        " 12",
        "    ⋯",
        "100   end",
    ]


def test_a_diff_fills_its_width_and_folds_long_lines() -> None:
    long = FileDiff(path="a", created=True, added=1, removed=0, hunks=(Hunk(0, 0, 1, 1, ("+" + "漢" * 30,)),))
    rows = diff_rows(long, 24, DARK)
    assert {row.width for row in rows} <= {24, 23}
    assert copied_text((row, 0, -1) for row in rows) == "漢" * 30


def test_a_long_diff_is_cut_and_says_so() -> None:
    hunk = Hunk(1, 0, 1, 50, tuple(f"+line {n}" for n in range(50)))
    shown = details_rows(FileDiff("a", True, 50, 0, (hunk,)), 40, DARK, limit=10)
    assert (len(shown.rows), shown.hidden) == (10, 40)
    assert more_row(shown, DARK).text == "… 40 more lines (ctrl+o)"


def test_a_command_shows_its_last_lines() -> None:
    output = CommandOutput("make", "".join(f"line {n}\n" for n in range(50)), 0, 1_200)
    shown = details_rows(output, 40, DARK, limit=3)
    assert [row.text for row in shown.rows] == ["line 47", "line 48", "line 49"]
    assert more_row(shown, DARK).text == "… 47 earlier lines (ctrl+o)"


def test_one_endless_line_stays_a_preview_but_is_whole_without_a_limit() -> None:
    output = CommandOutput("cat", "x" * 100_000, 0, 1)
    assert len(details_rows(output, 50, DARK, limit=5).rows) == 4
    assert len(details_rows(output, 50, DARK).rows) == 2_000


def test_where_the_whole_output_lies_stands_below_its_end() -> None:
    shown = details_rows(CommandOutput("x", "1\n2\n3\n", 0, 1, spilled_to="/s/1.txt"), 40, DARK, limit=1)
    assert [row.text for row in shown.rows] == ["3", "whole output in /s/1.txt"]
    assert (shown.hidden, shown.at_top) == (2, True)


def test_colour_codes_of_a_command_are_gone_and_its_brackets_stay() -> None:
    output = CommandOutput("x", "\x1b[31m[red]\x1b[0m\r\n[/]\n", 0, 1)
    assert texts(output) == ["[red]", "[/]"]


@pytest.mark.parametrize(
    ("details", "words"),
    [
        (None, ""),
        (PlainText("x"), ""),
        (DIFF, "+2 −1"),
        (FileDiff("a", True, 7, 0, ()), "created, 7 lines"),
        (FileDiff("a", True, 1, 0, ()), "created, 1 line"),
        (FileText("a", 1, 120, 120), "120 lines"),
        (FileText("a", 1, 1, 1), "1 line"),
        (FileText("a", 10, 20, 120), "lines 10–29 of 120"),
        (CommandOutput("x", "", 0, 80), "80ms"),
        (CommandOutput("x", "", 2, 2_345), "exit 2 · 2.3s"),
        (CommandOutput("x", "", None, 65_000), "killed · 1m 05s"),
        (CommandOutput("x", "", None, 1_000, timed_out=True), "timed out · 1.0s"),
        (Matches("x", 3, 12, ()), "12 hits in 3 files"),
        (Matches("x", 1, 1, (), truncated=True), "1 hit in 1 file (more)"),
    ],
)
def test_outcomes_in_words(details: Details | None, words: str) -> None:
    assert details_words(details) == words


def test_an_error_shows_what_the_model_read() -> None:
    shown = output_rows(ToolOutput("File not found", is_error=True, details=FileText("a", 1, 0, 0)), 40, DARK)
    assert [row.text for row in shown.rows] == ["File not found"]
    assert {segment.style for row in shown.rows for segment in row.segments} == {DARK.bad}


def test_durations() -> None:
    assert [duration(ms) for ms in (0, 999, 1_000, 59_949, 60_000, 3_600_000)] == [
        "0ms",
        "999ms",
        "1.0s",
        "59.9s",
        "1m 00s",
        "60m 00s",
    ]


def test_a_file_that_was_read_is_counted_until_it_is_opened() -> None:
    output = ToolOutput("1 def add():\n2     return 1", details=FileText("a", 1, 2, 2))
    assert output_rows(output, 40, DARK).rows == []
    assert [row.text.rstrip() for row in opened_rows(output, 40, DARK).rows] == ["1 def add():", "2     return 1"]
    missing = ToolOutput("File not found", is_error=True, details=FileText("a", 1, 0, 0))
    assert opened_rows(missing, 40, DARK).rows == output_rows(missing, 40, DARK).rows
