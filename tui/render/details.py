"""What a tool shows a person, as rows and in a few words."""

from typing import assert_never

from msgspec import Struct
from rich.style import Style

from agent.protocol.details import CommandOutput, Details, FileDiff, FileText, Matches, PlainText
from agent.protocol.text import counted
from agent.protocol.tools import ToolOutput
from tui.render.diff import diff_counts, diff_rows
from tui.render.lines import Line, line
from tui.render.safe import clean, clean_line, clean_output, clip
from tui.render.theme import Theme
from tui.render.wrap import fold_spans, wrap_text


class Shown(Struct, frozen=True):
    """Rows, and how many source lines were left out of them at the top or the bottom."""

    rows: list[Line]
    hidden: int = 0
    at_top: bool = False


def details_rows(details: Details, width: int, theme: Theme, limit: int | None = None) -> Shown:
    """The body of `details`; with `limit`, about that many lines: a command's last ones, everything else's first ones."""
    match details:
        case FileDiff():
            return _head(diff_rows(details, width, theme), limit)
        case FileText():
            return Shown([])
        case CommandOutput():
            return _command(details, width, theme, limit)
        case Matches():
            return _text("\n".join(details.lines), width, theme.dim, limit)
        case PlainText():
            return _text(details.text, width, theme.dim, limit)
        case unreachable:
            assert_never(unreachable)


def output_rows(output: ToolOutput, width: int, theme: Theme, limit: int | None = None) -> Shown:
    """The body of a tool's outcome: its details, or the text that the model got (always for an error)."""
    if output.details is not None and not (output.is_error and isinstance(output.details, FileText | FileDiff)):
        return details_rows(output.details, width, theme, limit)
    return _text(output.text, width, theme.bad if output.is_error else theme.dim, limit)


def opened_rows(output: ToolOutput, width: int, theme: Theme, limit: int | None = None) -> Shown:
    """The same for who opens the call: also the lines of a file, which its row only counts."""
    if isinstance(output.details, FileText) and not output.is_error:
        return _text(output.text, width, theme.dim, limit)
    return output_rows(output, width, theme, limit)


def details_words(details: Details | None) -> str:
    """The outcome in a few words for the row of the call, or ""."""
    match details:
        case None | PlainText():
            return ""
        case FileDiff():
            return diff_counts(details)
        case FileText():
            return _file_words(details)
        case CommandOutput():
            return _command_words(details)
        case Matches():
            more = " (more)" if details.truncated else ""
            return f"{counted(details.hits, 'hit')} in {counted(details.files, 'file')}{more}"
        case unreachable:
            assert_never(unreachable)


def more_row(shown: Shown, theme: Theme) -> Line:
    """The row that says how much is not shown and how to see it."""
    where = "earlier" if shown.at_top else "more"
    return line((f"… {counted(shown.hidden, f'{where} line')} (ctrl+o)", theme.note))


def _command(command: CommandOutput, width: int, theme: Theme, limit: int | None) -> Shown:
    """The end of what it printed, and where all of it is when that was too much to keep."""
    shown = _tail(clean_output(command.output), width, theme.dim, limit)
    if not command.spilled_to:
        return shown
    place = wrap_text(f"whole output in {clean_line(command.spilled_to)}", theme.note, width)
    return Shown([*shown.rows, *place], shown.hidden, at_top=True)


def _file_words(file: FileText) -> str:
    if file.lines >= file.total_lines and not file.truncated:
        return counted(file.total_lines, "line")
    return f"lines {file.first_line}–{file.first_line + max(0, file.lines - 1)} of {file.total_lines}"


def _command_words(command: CommandOutput) -> str:
    words = []
    if command.timed_out:
        words.append("timed out")
    elif command.exit_code is None:
        words.append("killed")
    elif command.exit_code:
        words.append(f"exit {command.exit_code}")
    words.append(duration(command.duration_ms))
    return " · ".join(words)


def duration(milliseconds: float) -> str:
    """`80ms`, `2.3s`, `1m 05s`."""
    if milliseconds < 1_000:
        return f"{int(milliseconds)}ms"
    seconds = milliseconds / 1_000
    return f"{seconds:.1f}s" if seconds < 60 else f"{int(seconds) // 60}m {int(seconds) % 60:02}s"


def _head(rows: list[Line], limit: int | None) -> Shown:
    if limit is None or len(rows) <= limit + 1:
        return Shown(rows)
    return Shown(rows[:limit], len(rows) - limit)


def _text(text: str, width: int, style: Style, limit: int | None) -> Shown:
    lines = clean(text).rstrip("\n").split("\n") if text.strip() else []
    kept = lines if limit is None or len(lines) <= limit + 1 else lines[:limit]
    return Shown(_folded(kept, width, style, limit), len(lines) - len(kept))


def _tail(text: str, width: int, style: Style, limit: int | None) -> Shown:
    lines = text.rstrip("\n").split("\n") if text.strip() else []
    kept = lines if limit is None or len(lines) <= limit + 1 else lines[-limit:]
    return Shown(_folded(kept, width, style, limit), len(lines) - len(kept), at_top=True)


def _folded(lines: list[str], width: int, style: Style, limit: int | None) -> list[Line]:
    """Rows of `lines`; with a limit, one endless line is cut too, so that a preview stays a preview."""
    most = width * 4 if limit is not None else None
    shown = lines if most is None else [clip(text, most) for text in lines]
    return [row for text in shown for row in fold_spans([(text, style)], width)]
