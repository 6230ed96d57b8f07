"""The REPL without a terminal: lines in, plain text out."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import PATIENCE

METER = "  50,000 / 200,000  29% of auto-compact 167,000  ok"
MAIN = [sys.executable, str(Path(__file__).parents[1] / "support" / "repl_main.py")]


def run(tmp_path: Path, script: str, typed: str, *prompt: str) -> tuple[str, dict[str, Any]]:
    report = tmp_path / "told.json"
    finished = subprocess.run(
        [*MAIN, script, str(report), *prompt],
        input=typed.encode(),
        capture_output=True,
        timeout=PATIENCE,
        check=True,
        env={**os.environ, "COLUMNS": "100"},
    )
    assert finished.stderr == b""
    assert b"\x1b" not in finished.stdout
    return finished.stdout.decode(), json.loads(report.read_text())


def test_a_prompt_is_answered_and_the_meter_shown(tmp_path: Path) -> None:
    out, told = run(tmp_path, "say", "hi there\n")
    assert told["prompts"] == ["hi there"]
    assert told["closed"] is True
    assert out.endswith(METER + "\n")
    assert out.splitlines()[:-1] == [
        "ccagent 0.0.0 · claude-sonnet-5-5 · /repo",
        "/help lists the commands; Ctrl+C interrupts, Ctrl+D leaves.",
        "hello",
    ]


def test_a_long_notice_is_wrapped_between_words(tmp_path: Path) -> None:
    out, _ = run(tmp_path, "long notice", "hi\n")
    lines = [line for line in out.splitlines() if "word" in line]
    assert max(map(len, lines)) <= 100
    assert [word for line in lines for word in line.split()] == ["!", *(f"word{n}" for n in range(30))]


def test_the_first_prompt_may_come_from_the_command_line(tmp_path: Path) -> None:
    _, told = run(tmp_path, "say", "", "from the shell")
    assert told["prompts"] == ["from the shell"]


def test_backslashes_join_lines_and_blank_lines_are_nothing(tmp_path: Path) -> None:
    _, told = run(tmp_path, "say", "one\\\ntwo\n\n   \nthree")
    assert told["prompts"] == ["one\ntwo", "three"]


def test_slashes_commands_and_paths_go_their_ways(tmp_path: Path) -> None:
    out, told = run(tmp_path, "slash", "/autocompact\n")
    assert told["slashes"] == ["/autocompact"]
    assert "auto-compact at 167,000" in out
    _, told = run(tmp_path, "say", "! ls -l\n/etc/hosts is what?\n")
    assert (told["shells"], told["prompts"]) == (["ls -l"], ["/etc/hosts is what?"])


def test_exit_leaves_at_once(tmp_path: Path) -> None:
    out, told = run(tmp_path, "say", "/exit\nnever sent\n")
    assert told["prompts"] == []
    assert "context" not in out


def test_calls_are_shown_with_their_output(tmp_path: Path) -> None:
    out, _ = run(tmp_path, "tool", "go\n")
    assert "* run ls\n  3ms\na\ndone\n" in out


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("1", ["once", ""]),
        ("y", ["once", ""]),
        ("2", ["session", ""]),
        ("a", ["session", ""]),
        ("3", ["deny", ""]),
        ("3 use git rm", ["deny", "use git rm"]),
        ("what?\n7\nno", ["deny", ""]),
    ],
)
def test_a_question_takes_a_number(tmp_path: Path, typed: str, answer: list[str]) -> None:
    out, told = run(tmp_path, "ask", f"go\n{typed}\n")
    assert told["answers"] == {"q1": answer}
    assert (
        "Allow? run rm x\nno rule allows it\n1 Yes   2 Yes, and do not ask again in this session: Bash(rm:*)   3 No\n"
        in out
    )


@pytest.mark.parametrize(
    ("typed", "choice", "edited"),
    [
        ("y", "once", None),
        ("n not yet", "deny", None),
        ("e my own words", "once", "my own words"),
        ("2\nline one\\\nline two", "once", "line one\nline two"),
        ("i shorter", "deny", "shorter"),
    ],
)
def test_a_summary_may_be_rewritten(tmp_path: Path, typed: str, choice: str, edited: str | None) -> None:
    out, told = run(tmp_path, "preview", f"/compact preview\n{typed}\n")
    assert "Install this compaction? 9,000 → 2,000 tokens\n$0.02 spent\n\none two\n" in out
    assert (told["answers"]["q1"][0], told["edited"]["q1"]) == (choice, edited)


def test_the_end_of_input_is_a_no(tmp_path: Path) -> None:
    _, told = run(tmp_path, "ask", "go\n")
    assert told["answers"] == {"q1": ["deny", ""]}


def test_failures_and_notices_are_told_once(tmp_path: Path) -> None:
    out, _ = run(tmp_path, "fail", "go\n")
    assert out.count("The API refused.") == 1
    out, _ = run(tmp_path, "notice", "go\n")
    assert out.count("careful") == 1
    out, _ = run(tmp_path, "not compacted", "/compact\n")
    assert out.count("Too short.") == 1
    out, _ = run(tmp_path, "not compacted", "/compact\n/compact preview\n")
    assert out.count("Too short.") == 2


def test_the_reader_of_the_output_may_leave(tmp_path: Path) -> None:
    command = " ".join(f"'{word}'" for word in [*MAIN, "say", str(tmp_path / "told.json")])
    finished = subprocess.run(
        ["bash", "-c", f"yes hi | head -5 | {command} | true; exit ${{PIPESTATUS[2]}}"],
        capture_output=True,
        timeout=PATIENCE,
    )
    assert (finished.returncode, finished.stderr) == (1, b"")


def test_a_prompt_that_is_given_back_leaves_what_was_printed_as_it_is(tmp_path: Path) -> None:
    out, _ = run(tmp_path, "given back", "hi\n")
    assert out.count("> long ago") == 1
    out, _ = run(tmp_path, "gone back", "/rewind 2\n")
    assert out.count("> long ago") == 2  # another conversation than the one above it
