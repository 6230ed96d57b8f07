"""The app as a program on a terminal: started, waited for, asked and left."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.terminal import Terminal

MODES_OFF = (b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?1006l", b"\x1b[?2004l", b"\x1b[?1049l", b"\x1b[?25h")
APP = f'"{sys.executable}" -m tui.cli'  # in a shell command


def environment(**more: str) -> Mapping[str, str]:
    """Ours, with the code that is tested."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **more}


def ready(terminal: Terminal) -> Terminal:
    """The session is open."""
    terminal.wait_for("ask first")
    return terminal


def answer(terminal: Terminal, key: str, question: str) -> None:
    """Answer `question`, which takes the keyboard only after a pause in typing."""
    terminal.wait_for(question)
    terminal.wait(lambda: not terminal.caret, "the panel to take the keys")
    terminal.send(key)
    terminal.wait(lambda: question not in terminal.text, f"the end of: {question}")


def assert_left_clean(terminal: Terminal) -> None:
    """Settings and modes are as they were."""
    assert terminal.restored
    assert all(sequence in terminal.output for sequence in MODES_OFF)
    for on, off in ((b"?1049h", b"?1049l"), (b"?1000h", b"?1000l"), (b"?2004h", b"?2004l"), (b"?25l", b"?25h")):
        assert terminal.output.rindex(b"\x1b[" + off) > terminal.output.rfind(b"\x1b[" + on)
