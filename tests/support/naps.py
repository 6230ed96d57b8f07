"""Commands that outlast every test, each told apart from those of other tests and of tests that run beside them."""

import os

import psutil


def nap(number: int) -> str:
    """A long sleep of this process's tests; `number` is the test's own."""
    return f"sleep {3_600 + number}.{os.getpid()}"


def napping(mark: str) -> list[psutil.Process]:
    """The processes that have `mark` in their command line."""
    found = []
    for process in psutil.process_iter():
        try:
            if mark in " ".join(process.cmdline()) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found
