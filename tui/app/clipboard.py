"""Copying through the terminal: OSC 52, also from inside tmux; no terminal says whether it worked."""

import base64

MOST = 100_000  # bytes; longer sequences are dropped by many terminals


def copy_sequence(text: str, *, tmux: bool) -> str | None:
    """The bytes that ask the terminal to put `text` on the clipboard, or None when it is too long to ask."""
    data = base64.b64encode(text.encode("utf-8", errors="replace"))
    if len(data) > MOST:
        return None
    sequence = f"\x1b]52;c;{data.decode('ascii')}\x07"
    return f"\x1bPtmux;{sequence.replace(chr(27), chr(27) * 2)}\x1b\\" if tmux else sequence
