"""Signals that come before a face listens to them itself, and after the person has left it."""

import os
import signal
from collections.abc import Callable
from types import FrameType


def end_at_once(tidy: Callable[[], None] = lambda: None) -> None:
    """From here on signal n ends the process with 128 + n, after `tidy`, until a face takes it over; ignored ones stay so (`nohup`).

    Nothing has begun yet that would have to be closed. Not by an exception: raised inside the import of an extension module it
    can crash the interpreter.
    """

    def end(number: int, _frame: FrameType | None) -> None:
        tidy()
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)


def leave_in_peace(unlisten: Callable[[int], object]) -> None:
    """At the end of a face's loop, with its `remove_signal_handler`: one Ctrl+C too many changes nothing any more, also while the interpreter ends."""
    unlisten(signal.SIGINT)  # first: the loop would put the default back when it closes
    signal.signal(signal.SIGINT, signal.SIG_IGN)
