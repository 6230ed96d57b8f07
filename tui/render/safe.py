"""The one sanitiser: no text from a model, file, tool, hook or person reaches a screen without passing here."""

import re

TAB_WIDTH = 4
BAD = "\ufffd"  # shown in place of what could deceive the eye or the terminal

# ESC sequences as ECMA-48 has them: CSI ... final, OSC/DCS/SOS/PM/APC ... ST or BEL, other two- and three-byte ones.
_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]+[0-~]"
    r"|\x1b[0-Z\\^-~]"
)
# C0 but tab, newline and carriage return; DEL and C1; bidi marks, embeddings, overrides and isolates; line separators;
# lone surrogates; the tag characters that hide ASCII; noncharacters that some terminals choke on.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
# Variation selector 16 and keycaps make terminals disagree about a glyph's width; soft hyphens and BOMs have none.
_UNSTEADY = re.compile("[\ufe0f\u20e3\u00ad\ufeff]")
_PLAIN = re.compile(r"[\n -~]*\Z")
_SPACES = re.compile(r"\s+")


def clean(text: str) -> str:
    """`text` with nothing left that moves a cursor, hides or reorders; newlines stay, tabs become spaces, CR goes.

    Control sequences vanish, single control and bidi characters become U+FFFD so that a deceit stays visible. Idempotent.
    """
    if _PLAIN.match(text):
        return text
    text = _SEQUENCES.sub("", text)
    text = _HARMFUL.sub(BAD, text)
    text = _UNSTEADY.sub("", text).replace("\r", "")
    return expand_tabs(text)


def clean_piece(text: str) -> str:
    """`clean` for a piece of a stream, whose column is unknown: a tab is always 4 spaces."""
    return clean(text.replace("\t", " " * TAB_WIDTH))


def expand_tabs(text: str) -> str:
    """Every tab becomes spaces up to the next multiple of 4 characters, counted from the line's start in `text`."""
    return text.expandtabs(TAB_WIDTH) if "\t" in text else text


def clean_line(text: str) -> str:
    """`text` on one line: all white space runs become one space."""
    return _SPACES.sub(" ", clean(text)).strip()


def clean_output(text: str) -> str:
    """A command's output as a terminal would leave it: what a bare carriage return overwrote is gone."""
    if "\r" in text:
        text = "\n".join(_last_overwrite(line) for line in text.split("\n"))
    return clean(text)


def clip(text: str, limit: int) -> str:
    """`text`, or its first `limit - 1` characters and an ellipsis."""
    return text if len(text) <= limit else text[: max(0, limit - 1)] + "…"


def _last_overwrite(line: str) -> str:
    parts = [part for part in line.split("\r") if part]
    return parts[-1] if parts else ""
