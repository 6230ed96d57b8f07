"""What the model is told of a command that a person ran themselves, and how the screen reads it back."""

import re

from msgspec import Struct

_NOTE = re.compile(
    r"<system-reminder>\nThe user ran this command themselves: (.*?)\nIts output:\n?(.*)\n</system-reminder>\Z",
    re.DOTALL,
)


class Ran(Struct, frozen=True):
    """A command and what it printed."""

    command: str
    output: str


def shell_note(command: str, output: str) -> str:
    """The words for the model."""
    return f"The user ran this command themselves: {command}\nIts output:\n{output}"


def read_note(text: str) -> Ran | None:
    """What such a message says; None for any other."""
    found = _NOTE.match(text)
    return Ran(found[1], found[2]) if found is not None else None
