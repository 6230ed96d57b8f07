"""The installed program in a real terminal, against the rehearsal model: what a person sees, and what is left behind."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from tests.support.app_terminal import answer, assert_left_clean, ready
from tests.support.terminal import Terminal

PASTE = "\x1b[200~{}\x1b[201~"
Start = Callable[..., Terminal]


def test_typed_before_it_is_up_asked_edited_and_left(start: Start, repo: Path) -> None:
    terminal = start()
    terminal.wait_for("starting…")
    terminal.send("write a file hello.txt with hi there")
    terminal.wait_for("❯ write a file hello.txt with hi there")
    ready(terminal).send("\r")
    terminal.wait_for("Allow? Write hello.txt")
    assert not (repo / "hello.txt").exists()
    answer(terminal, "1", "Allow? Write hello.txt")
    terminal.wait(lambda: (repo / "hello.txt").exists(), "the file")
    terminal.wait_for("● Write hello.txt")
    terminal.send("/exit\r")
    assert terminal.wait_exit() == 0
    assert_left_clean(terminal)
    assert "ccagent --resume" in terminal.text


def test_a_megabyte_is_pasted_and_sent_whole(start: Start) -> None:
    terminal = ready(start())
    terminal.send("Repeat: ")
    terminal.send(PASTE.format("0123456789abcde\n" * 65_536))
    terminal.wait_for("[Pasted #1 - 65536 lines]")
    terminal.send(" end")
    terminal.wait_for("lines] end")
    assert terminal.leave("Ctrl+C again leaves") == 0
    assert_left_clean(terminal)


def test_alt_enter_starts_a_new_line(start: Start) -> None:
    terminal = ready(start())
    terminal.send("one")
    terminal.wait_for("❯ one")
    terminal.send("\x1b\r")
    terminal.send("two")
    terminal.wait(lambda: " ❯ one\n   two\n" in terminal.text, "a prompt of two lines")


def test_resizing_while_it_runs(start: Start) -> None:
    terminal = ready(start())
    for columns, rows in ((60, 20), (140, 45), (30, 10), (100, 30)):
        terminal.resize(columns, rows)
        os.kill(terminal.pid, signal.SIGWINCH)
        terminal.pump(0.3)
    terminal.wait_for("ask first")
    terminal.send("still here")
    terminal.wait_for("❯ still here")


def test_a_size_that_went_there_and_back_unseen_is_painted_anew(start: Start) -> None:
    """Whoever looks at the size late finds the old one again, but the terminal has cut off rows and columns meanwhile."""
    terminal = ready(start())
    terminal.wait_until_quiet()
    for columns, rows in ((30, 8), (100, 30)):
        terminal.resize(columns, rows)
    assert "Offline: rules" not in terminal.text
    terminal.wait_for("Offline: rules answer, not a model.")


def test_the_caret_stands_where_one_types(start: Start) -> None:
    """An input method composes at the terminal's own cursor."""
    terminal = ready(start())
    terminal.send("日本語abc")
    terminal.wait_for("abc")
    row = next(number for number, text in enumerate(terminal.screen.display) if "abc" in text)
    cursor = terminal.screen.cursor
    terminal.wait(lambda: (cursor.y, cursor.x) == (row, 3 + 6 + 3), "the cursor at the caret")
