"""The keys of the app, in words: the screen behind `?`, and the table of the README."""

from rich.cells import cell_len

from tui.render.lines import BLANK, Line, indent, line
from tui.render.theme import Theme
from tui.render.wrap import wrap_text

KEYS = (
    ("Enter", "send; while something runs, send next"),
    ("Shift+Enter, Alt+Enter, Ctrl+J, `\\` Enter", "new line"),
    ("Esc", "close what is open, say no, or stop what runs"),
    ("Esc Esc", "on an empty line: go back to an earlier prompt"),
    ("Ctrl+C", "copy the selection, clear the prompt, or stop what runs; twice: leave"),
    ("Tab", "take a completion"),
    ("Shift+Tab", "next permission mode: ask first, accept edits, plan"),
    ("↑ ↓", "queued and earlier prompts"),
    ("PgUp PgDn, Ctrl+Home Ctrl+End, wheel", "scroll"),
    ("Ctrl+O", "the call under the pointer, else the last one, whole"),
    ("click", "open or close a call, thinking or a receipt"),
    ("1, 2, 3 or y, a, n", "answer a question: yes, yes for this session, no"),
    ("/ @ !", "begin a command, a file, a shell command of your own"),
    ("?", "on an empty line: these keys"),
    ("Ctrl+Z", "to the shell; `fg` comes back"),
    ("Ctrl+D, /exit", "leave"),
)


def key_rows(width: int, theme: Theme) -> list[Line]:
    """The keys in two columns, one below the other where it is narrow."""
    column = max(cell_len(keys) for keys, _ in KEYS) + 2
    rows = [line(("Keys", theme.accent + theme.strong)), BLANK]
    for keys, meaning in KEYS:
        if width < column + 20:
            rows += [*wrap_text(keys, theme.text + theme.strong, width), *_under(meaning, width, theme)]
        else:
            head = keys + " " * (column - cell_len(keys))
            body = wrap_text(meaning, theme.text, width - column)
            rows += indent(body, head, " " * column, theme.accent)
    return [*rows, BLANK, *wrap_text("/help lists the commands · Esc goes back", theme.dim, width)]


def _under(meaning: str, width: int, theme: Theme) -> list[Line]:
    return indent(wrap_text(meaning, theme.dim, max(1, width - 2)), "  ", "  ", theme.dim)
