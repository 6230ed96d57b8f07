"""Gives the terminal to the person's editor and takes it back."""

import os
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from textual.app import App, SuspendNotSupported

from agent.protocol.events import Event, Notice
from tui.editor import edit_file


def edit(app: App[int], path: str, show: Callable[[Event], None]) -> None:
    """Opens `path` and waits for the editor's end; `show` gets a notice when that went wrong."""
    try:
        with app.suspend(), _line_by_line():
            problem = edit_file(path, os.environ)
    except SuspendNotSupported:
        problem = f"No editor can be opened here; the file is {path}"
    if problem:
        show(Notice(level="warning", text=problem))


@contextmanager
def _line_by_line() -> Iterator[None]:
    """The terminal as a shell hands it over: the app's first picture has switched echo and lines off, and `suspend` knows no better."""
    try:
        ours = termios.tcgetattr(sys.stdin.fileno())
        theirs = termios.tcgetattr(sys.stdin.fileno())
    except (termios.error, ValueError, OSError):
        yield
        return
    theirs[0] |= termios.ICRNL | termios.IXON
    theirs[3] |= termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG
    termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, theirs)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, ours)
