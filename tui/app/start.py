"""The first picture: a prompt is drawn before anything heavy is imported, and the terminal is put back whatever happens."""

import os
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tui.early_signals import end_at_once

PROMPT_ROWS = 5  # the prompt's row, counted from the bottom, as the app will draw it
_LEAVE = "\x1b[<u\x1b[?1049l"
_RESET = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1004l\x1b[?2004l\x1b[?7h\x1b[?25h"


@contextmanager
def early_prompt(version: str) -> Iterator[None]:
    """A painted prompt on the alternate screen while the block loads and runs the app; afterwards the terminal is as it was.

    Keys typed meanwhile reach the app's prompt: the terminal keeps them.
    """
    out = sys.stdout.fileno()
    before: list[int | list[bytes | int]] | None = None

    def put_back() -> None:
        _write(out, _RESET)
        if before is not None:
            with suppress(termios.error):
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)

    def leave() -> None:
        _write(out, _LEAVE)
        put_back()

    end_at_once(leave)
    before = _quiet_keys()
    try:
        _write(out, _first_picture(out, version))
        yield
    except BaseException:
        _write(out, _LEAVE)  # Textual may not have come so far as to leave the screen itself
        raise
    finally:
        put_back()


def _quiet_keys() -> list[int | list[bytes | int]] | None:
    """No echo, no lines, Enter stays a carriage return; the settings before, or None without a terminal."""
    try:
        before = termios.tcgetattr(sys.stdin.fileno())
        now = termios.tcgetattr(sys.stdin.fileno())
        now[0] &= ~(termios.IXON | termios.ICRNL | termios.INLCR | termios.IGNCR)
        now[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, now)
    except (termios.error, ValueError, OSError):
        return None
    return before


def _first_picture(out: int, version: str) -> str:
    try:
        columns, rows = os.get_terminal_size(out)
    except OSError:
        columns, rows = 80, 24
    top = max(1, rows - PROMPT_ROWS + 1)
    rule = "─" * columns
    ground, quiet, accent = "\x1b[48;2;16;19;26m", "\x1b[38;2;43;50;64m", "\x1b[38;2;136;180;231m"
    return (
        f"\x1b[?1049h\x1b[?25l{ground}\x1b[2J"
        f"\x1b[{top};1H{quiet}{rule}\x1b[{top + 1};2H{accent}❯\x1b[{top + 2};1H{quiet}{rule}"
        f"\x1b[{top + 3};2H{quiet}ccagent {version} · starting…\x1b[{top + 1};5H\x1b[0m"
    )


def _write(out: int, text: str) -> None:
    with suppress(OSError):
        os.write(out, text.encode())
