"""The REPL on a real terminal: keys, questions, interrupts, and a terminal left as it was."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.terminal import Terminal

MAIN = [sys.executable, str(Path(__file__).parents[1] / "support" / "repl_main.py")]
READY = "Ctrl+D leaves.\n>"
METER = "50,000 / 200,000"


@contextmanager
def started(tmp_path: Path, script: str, *variables: str) -> Iterator[Terminal]:
    """The REPL on a terminal that does not tell where its cursor is (pyte cannot); `variables` as NAME=VALUE."""
    argv = ["env", "PROMPT_TOOLKIT_NO_CPR=1", *variables, *MAIN, script, str(tmp_path / "told.json")]
    terminal = Terminal(argv, cwd=tmp_path, env=os.environ)
    try:
        yield terminal
    finally:
        terminal.close()


def told(tmp_path: Path) -> dict[str, Any]:
    return json.loads((tmp_path / "told.json").read_text())


def leave(terminal: Terminal) -> None:
    """Ctrl+D, once the editor is there: a terminal keeps no Ctrl+D for later."""
    terminal.wait(lambda: terminal.text.rstrip().endswith("\n>"), "an empty prompt")
    terminal.send("\x04")
    assert terminal.wait_exit() == 0
    assert terminal.restored


def test_a_prompt_is_typed_and_remembered(tmp_path: Path) -> None:
    with started(tmp_path, "say") as terminal:
        terminal.wait_for(READY)
        terminal.send("hi there\r")
        terminal.wait_for(METER)
        assert "hello" in terminal.text
        terminal.send("\x1b[A")
        terminal.send(" again\r")
        terminal.wait_for("> hi there again")
        leave(terminal)
    assert told(tmp_path)["prompts"] == ["hi there", "hi there again"]
    assert b"owned" not in terminal.output
    history = tmp_path / "history"
    assert history.stat().st_mode & 0o777 == 0o600
    assert "+hi there again" in history.read_text()


def test_pasted_lines_are_one_prompt(tmp_path: Path) -> None:
    with started(tmp_path, "say") as terminal:
        terminal.wait_for(READY)
        terminal.send("Explain: \x1b[200~one\r\ntwo\rthree\x1b[201~ thanks\r")
        terminal.wait_for(METER)
        leave(terminal)
    assert told(tmp_path)["prompts"] == ["Explain: one\ntwo\nthree thanks"]


@pytest.mark.parametrize("new_line", ["\x1b\r", "\\\r"])
def test_a_new_line_can_be_typed(tmp_path: Path, new_line: str) -> None:
    with started(tmp_path, "say") as terminal:
        terminal.wait_for(READY)
        terminal.send(f"one{new_line}two\r")
        terminal.wait_for(METER)
        leave(terminal)
    assert told(tmp_path)["prompts"] == ["one\ntwo"]


def test_what_is_typed_while_it_works_is_sent_afterwards(tmp_path: Path) -> None:
    with started(tmp_path, "hang") as terminal:
        terminal.wait_for(READY)
        terminal.send("go\r")
        terminal.wait_for("thinking")
        terminal.send("early\r")
        terminal.signal(signal.SIGINT)  # the key would make the terminal forget what was typed
        terminal.wait_for("Interrupted ·")
        terminal.wait_for("again")
        leave(terminal)
    assert told(tmp_path)["prompts"] == ["go", "early"]


def test_tab_completes_a_command(tmp_path: Path) -> None:
    with started(tmp_path, "slash") as terminal:
        terminal.wait_for(READY)
        terminal.send("/comp\t")
        terminal.wait_for("/compact")
        terminal.send("\r")
        terminal.wait_for(METER)
        leave(terminal)
    assert told(tmp_path)["slashes"] == ["/compact"]


def test_a_question_is_answered_by_number(tmp_path: Path) -> None:
    with started(tmp_path, "ask") as terminal:
        terminal.wait_for(READY)
        terminal.send("go\r")
        terminal.wait_for("3 No")
        terminal.send("2\r")
        terminal.wait_for(METER)
        leave(terminal)
    assert told(tmp_path)["answers"] == {"q1": ["session", ""]}


def test_a_summary_is_edited_in_place(tmp_path: Path) -> None:
    with started(tmp_path, "preview") as terminal:
        terminal.wait_for(READY)
        terminal.send("go\r")
        terminal.wait_for("4 No, keep the conversation as it is\n>")
        terminal.send("e\r")
        terminal.wait_for(". two")
        terminal.send(" and three\r")
        terminal.wait_for(METER)
        leave(terminal)
    assert told(tmp_path)["edited"] == {"q1": "one\ntwo and three"}


def test_control_c_at_a_question_denies_and_interrupts(tmp_path: Path) -> None:
    with started(tmp_path, "ask") as terminal:
        terminal.wait_for(READY)
        terminal.send("go\r")
        terminal.wait_for("3 No\n>")
        terminal.send("\x03")
        terminal.wait_for("Interrupted ·")
        terminal.wait_for(METER)
        leave(terminal)
    assert (told(tmp_path)["answers"], told(tmp_path)["interrupts"]) == ({"q1": ["deny", ""]}, 1)


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_control_c_interrupts_the_run_and_the_next_prompt_works(tmp_path: Path, term: str) -> None:
    with started(tmp_path, "hang", f"TERM={term}") as terminal:
        terminal.wait_for(READY)
        terminal.send("go\r")
        terminal.wait_for("thinking")
        terminal.send("\x03")
        terminal.wait_for("Interrupted ·")
        terminal.wait_for(METER)
        terminal.send("next\r")
        terminal.wait_for("next")
        leave(terminal)
    assert (told(tmp_path)["interrupts"], told(tmp_path)["prompts"]) == (1, ["go", "next"])


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_control_c_twice_leaves(tmp_path: Path, term: str) -> None:
    with started(tmp_path, "say", f"TERM={term}") as terminal:
        terminal.wait_for(READY)
        assert terminal.leave("Ctrl+C again") == 0
        assert terminal.restored
    assert told(tmp_path)["closed"] is True


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)])
def test_a_signal_closes_and_restores_the_terminal(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with started(tmp_path, "say") as terminal:
        terminal.wait_for(READY)
        terminal.signal(number)
        assert terminal.wait_exit() == code
        assert terminal.restored
    assert told(tmp_path)["closed"] is True


def test_a_dumb_terminal_gets_no_cursor_tricks(tmp_path: Path) -> None:
    with started(tmp_path, "say", "TERM=dumb") as terminal:
        terminal.wait_for(READY)
        terminal.send("hi\r")
        terminal.wait_for(METER)
        leave(terminal)
    assert b"\x1b" not in terminal.output


def test_no_color_is_respected(tmp_path: Path) -> None:
    with started(tmp_path, "fail", "NO_COLOR=1") as terminal:
        terminal.wait_for(READY)
        terminal.send("go\r")
        terminal.wait_for("The API refused.")
        leave(terminal)
    assert b"\x1b[31m" not in terminal.output
