"""Every way to end the program: its exit code, the terminal, the children, the session, and not a word too many."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.app_terminal import answer, assert_left_clean, ready
from tests.support.ccagent import ccagent
from tests.support.naps import nap, napping
from tests.support.patience import block_until
from tests.support.terminal import Terminal

Start = Callable[..., Terminal]
Busy = Callable[..., Terminal]
SCRIPTS = {
    "streams": """
[[reply]]
say = "Once upon a time."
words = 200
stall = { seconds = 600, after_words = 20, pings = true }
""",
    "compacts": """
[[reply]]
words = 2_000
[[reply]]
when = { compaction = true }
summary = "So much happened that it takes long to tell it."
stall = { seconds = 600, after_words = 3, pings = true }
""",
}
TO_FILE = '2>"$PWD/errors"'


@pytest.fixture
def busy(start: Start, repo: Path) -> Busy:
    """The program in a state, started with more arguments and ended by Enter what is a key in the app."""

    def run(state: str, arguments: str = "", **how: str) -> Terminal:
        plain = "--plain" in arguments
        if state in SCRIPTS:
            (repo / "script.toml").write_text(SCRIPTS[state])
            arguments += " --offline=script.toml"
        terminal = start(arguments, **how)
        terminal.wait_for("Ctrl+D leaves" if plain else "ask first")
        if state in ("asks", "runs"):
            terminal.send(f"run {nap(71)}\r")
            terminal.wait_for(f"Allow? Bash {nap(71)}")
        if state == "runs":
            terminal.send("1\r") if plain else answer(terminal, "1", f"Allow? Bash {nap(71)}")
            terminal.wait(lambda: bool(napping(nap(71))), "the command")
        if state in SCRIPTS:
            terminal.send("tell\r")
        if state == "streams":
            terminal.wait_for("Once upon a time")
        if state == "compacts":
            terminal.wait_for("4,")  # thousand tokens
            terminal.send("/compact\r")
            terminal.wait_for("Compacting conversation…")
        return terminal

    return run


@pytest.mark.parametrize("state", ["idles", "asks", "runs", "streams", "compacts"])
def test_a_closed_window_ends_the_app(busy: Busy, repo: Path, state: str) -> None:
    assert busy(state, after=TO_FILE).hang_up() == 128 + signal.SIGHUP
    assert (repo / "errors").read_text() == ""
    block_until(lambda: not napping(nap(71)))
    if state == "runs":
        assert ccagent("-p", "hi", "--continue", "--offline", cwd=repo).code == 0


@pytest.mark.parametrize("state", ["asks", "streams"])
def test_a_closed_window_ends_the_line_repl(busy: Busy, repo: Path, state: str) -> None:
    assert busy(state, "--plain", after=TO_FILE).hang_up() == 128 + signal.SIGHUP
    assert (repo / "errors").read_text() == ""
    block_until(lambda: not napping(nap(71)))


@pytest.mark.parametrize("arguments", ["", "--plain"])
def test_a_closed_window_ends_it_when_only_its_parent_is_told(busy: Busy, repo: Path, arguments: str) -> None:
    """SIGHUP goes to the session's leader, which may keep it to itself."""
    terminal = busy("idles", arguments, before="trap '' HUP;", after=f"{TO_FILE}; echo $? >code; exit 0")
    terminal.hang_up()
    assert (repo / "code").read_text() == "129\n"
    assert (repo / "errors").read_text() == ""


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (signal.SIGTERM, "ask first"),
        (signal.SIGHUP, "ask first"),
        (signal.SIGINT, "ask first"),
        (signal.SIGQUIT, "ask first"),
        (signal.SIGTERM, "starting…"),
        (signal.SIGQUIT, "starting…"),
        (signal.SIGINT, "starting…"),
    ],
)
def test_a_signal_leaves_the_terminal_as_it_was(start: Start, number: signal.Signals, shown: str) -> None:
    terminal = start()
    terminal.wait_for(shown)
    terminal.signal(number)
    assert terminal.wait_exit() == 128 + number
    assert_left_clean(terminal)


@pytest.mark.parametrize("arguments", ["", "--plain"])
def test_sigterm_ends_the_command_that_runs_too(busy: Busy, arguments: str) -> None:
    terminal = busy("runs", arguments)
    terminal.signal(signal.SIGTERM)
    assert terminal.wait_exit() == 128 + signal.SIGTERM
    assert terminal.restored
    block_until(lambda: not napping(nap(71)))


@pytest.mark.parametrize("arguments", ["", "--plain"])
def test_control_c_twice_is_no_failure(busy: Busy, arguments: str) -> None:
    terminal = busy("runs", arguments)
    while not terminal.ended:  # two that come at once are one signal
        terminal.send("\x03")
        terminal.pump(0.4)
    assert terminal.wait_exit() == 0
    assert terminal.restored
    block_until(lambda: not napping(nap(71)))


def test_a_session_that_cannot_be_opened_is_one_line_on_a_clean_screen(start: Start) -> None:
    terminal = start("--resume 00000000-0000-4000-8000-000000000000")
    assert terminal.wait_exit() == 1
    assert_left_clean(terminal)
    assert "No conversation found" in terminal.text


@pytest.mark.parametrize("arguments", ["", "--plain"])
def test_a_full_disk_is_no_reason_not_to_start(start: Start, arguments: str) -> None:
    terminal = start(arguments, before="ulimit -f 0; exec")
    terminal.wait_for("Ctrl+D leaves" if arguments else "ask first")
    terminal.send("/exit\r")
    assert terminal.wait_exit() == 0
    assert terminal.restored


@pytest.mark.parametrize("errors", [TO_FILE, "2>&-", "2>/dev/full"])
def test_the_screen_does_not_depend_on_stderr(start: Start, errors: str) -> None:
    terminal = ready(start(after=errors))
    terminal.send("/exit\r")
    assert terminal.wait_exit() == 0
    assert_left_clean(terminal)
