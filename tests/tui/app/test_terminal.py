"""The installed program in a real terminal, against the rehearsal model: what a person sees, and what is left behind."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.terminal import Terminal

PASTE = "\x1b[200~{}\x1b[201~"
MODES_OFF = (b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?1006l", b"\x1b[?2004l", b"\x1b[?1049l", b"\x1b[?25h")
Start = Callable[..., Terminal]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "a.py").write_text("def f():\n    return 1\n")
    return folder


@pytest.fixture
def start(repo: Path) -> Iterator[Start]:
    opened: list[Terminal] = []

    def run(*arguments: str, **options: int) -> Terminal:
        argv = [sys.executable, "-m", "tui.cli", "--offline", *arguments]
        env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
        opened.append(Terminal(argv, cwd=repo, env=env, **options))
        return opened[-1]

    yield run
    for terminal in opened:
        terminal.close()


def ready(terminal: Terminal) -> Terminal:
    terminal.wait_for("ask first")
    return terminal


def assert_left_clean(terminal: Terminal) -> None:
    assert terminal.restored
    assert all(sequence in terminal.output for sequence in MODES_OFF)
    for on, off in ((b"?1049h", b"?1049l"), (b"?1000h", b"?1000l"), (b"?2004h", b"?2004l"), (b"?25l", b"?25h")):
        assert terminal.output.rindex(b"\x1b[" + off) > terminal.output.rindex(b"\x1b[" + on)


def test_typed_before_it_is_up_asked_edited_and_left(start: Start, repo: Path) -> None:
    terminal = start()
    terminal.wait_for("starting…")
    terminal.send("write a file hello.txt with hi there")
    terminal.wait_for("❯ write a file hello.txt with hi there")
    ready(terminal).send("\r")
    terminal.wait_for("Allow? Write hello.txt")
    assert not (repo / "hello.txt").exists()
    terminal.pump(0.8)
    terminal.send("1")
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
    terminal.send("\x03")
    terminal.wait_for("Ctrl+C again leaves")
    terminal.send("\x03")
    assert terminal.wait_exit() == 0
    assert_left_clean(terminal)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_a_signal_leaves_the_terminal_as_it_was(start: Start, number: signal.Signals) -> None:
    terminal = ready(start())
    terminal.signal(number)
    assert terminal.wait_exit() == 128 + number
    assert_left_clean(terminal)


def test_a_session_that_cannot_be_opened_is_one_line_on_a_clean_screen(start: Start) -> None:
    terminal = start("--resume", "00000000-0000-4000-8000-000000000000")
    assert terminal.wait_exit() == 1
    assert_left_clean(terminal)
    assert "No conversation found" in terminal.text


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
    terminal.pump(0.3)
    row = next(number for number, text in enumerate(terminal.screen.display) if "abc" in text)
    assert (terminal.screen.cursor.y, terminal.screen.cursor.x) == (row, 3 + 6 + 3)


def test_a_window_that_is_closed_ends_it_without_a_word(repo: Path, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    command = f'exec "{sys.executable}" -m tui.cli --offline 2>"{tmp_path / "errors"}"'
    terminal = Terminal(["/bin/sh", "-c", command], cwd=repo, env=env)
    try:
        assert ready(terminal).hang_up() == 128 + signal.SIGHUP
        assert (tmp_path / "errors").read_text() == ""
    finally:
        terminal.close()


def test_a_window_that_is_closed_while_a_command_runs_ends_both(start: Start) -> None:
    terminal = ready(start())
    terminal.send("run sleep 60.71\r")
    terminal.wait_for("Allow? Bash sleep 60.71")
    terminal.pump(0.8)
    terminal.send("1")
    terminal.wait_for("Bash sleep 60.71 · esc to interrupt")
    terminal.pump(1.0)
    terminal.hang_up()  # fails when it does not end
    assert not [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", "60.71"]]


def test_stderr_elsewhere_does_not_take_the_screen_away(start: Start, tmp_path: Path, repo: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    command = f'"{sys.executable}" -m tui.cli --offline 2>"{tmp_path / "errors"}"'
    terminal = Terminal(["/bin/sh", "-c", command], cwd=repo, env=env)
    try:
        ready(terminal).send("/exit\r")
        assert terminal.wait_exit() == 0
        assert (tmp_path / "errors").read_text() == ""
    finally:
        terminal.close()
