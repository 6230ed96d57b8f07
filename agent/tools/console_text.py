"""A terminal program's output as plain text: no escape sequences, and of a redrawn line its last state."""

import re

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC: titles, links, the clipboard
    r"|\x1b[PX^_][^\x1b\n]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]?"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_OVERSTRUCK = re.compile(r"[^\n\x08]\x08")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def plain_text(text: str) -> str:
    """`text` without escape sequences and control characters other than newline and tab; CRLF becomes LF."""
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = "\n".join(_last_state(line) for line in text.split("\n"))
    if "\x08" in text:
        text = _OVERSTRUCK.sub("", text)
    return _CONTROLS.sub("", text)


def _last_state(line: str) -> str:
    """What a line shows that a progress bar has redrawn with carriage returns."""
    return line.rstrip("\r").rpartition("\r")[2]


def both_ends(text: str, head: int, tail: int, between: str) -> str:
    """The first `head` and last `tail` characters, cut at line ends where one is near, with `between` in the middle."""
    start = text.rfind("\n", head // 2, head) + 1 or head
    end = text.find("\n", len(text) - tail, len(text) - tail // 2) + 1 or len(text) - tail
    return f"{text[:start].rstrip()}\n{between}\n{text[end:]}"
