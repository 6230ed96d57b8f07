"""A summary made without a model: the floor that stands when no summariser answers and the history does not fit."""

from collections.abc import Sequence

from msgspec import Struct

from agent.compact.keep_tail import is_request
from agent.compact.prompt import SECTIONS
from agent.protocol.blocks import ToolUse
from agent.protocol.text import one_line
from agent.tokens.features import estimate_text
from agent.transcript.entries import MessageEntry

FILE_TOOLS = ("Read", "Edit", "Write")
HEAD = "This summary was put together from the record without a model; it quotes and leaves out, but invents nothing."


class _Measure(Struct, frozen=True):
    """How much is quoted: lines a section, characters a line."""

    lines: int
    line: int


MEASURES = tuple(_Measure(lines, line) for lines, line in ((12, 300), (8, 200), (5, 120), (3, 80), (1, 60)))


def extractive_summary(entries: Sequence[MessageEntry], *, limit: int, tokenizer: str) -> str:
    """Nine sections of verbatim extracts within `limit` tokens.

    What the person typed, files, commands, errors, an earlier summary and the last answers.
    """
    text = HEAD
    for measure in MEASURES:
        text = _extracts(entries, measure)
        if estimate_text(text, tokenizer) <= limit:
            return text
    return text[: len(text) * max(limit, 1) // max(estimate_text(text, tokenizer), 1)].strip() or HEAD


def _extracts(entries: Sequence[MessageEntry], measure: _Measure) -> str:
    messages = [entry.message for entry in entries]
    requests = [entry.message.text for entry in entries if is_request(entry) and entry.message.text.strip()]
    earlier = [entry.message.text for entry in entries if entry.is_compact_summary]
    calls = [call for m in messages for call in m.tool_uses]
    answers = [m.text for m in messages if m.role == "assistant" and m.text.strip()]
    bodies: tuple[list[str], ...] = (
        requests[-1:],
        [],
        _files(calls)[-4 * measure.lines :],
        [r.text for m in messages for r in m.tool_results if r.is_error][-measure.lines :],
        [*earlier, *_commands(calls)[-measure.lines :]],
        requests[-measure.lines :],
        [],
        answers[-2:],
        [],
    )
    sections = [
        _section(i, title, body, measure.line) for i, (title, body) in enumerate(zip(SECTIONS, bodies, strict=True), 1)
    ]
    return "\n\n".join([HEAD, *sections])


def _commands(calls: Sequence[ToolUse]) -> list[str]:
    return [f"ran {call.input.get('command', '')}" for call in calls if call.name == "Bash"]


def _files(calls: Sequence[ToolUse]) -> list[str]:
    seen: dict[str, set[str]] = {}
    for call in calls:
        path = call.input.get("file_path")
        if call.name in FILE_TOOLS and isinstance(path, str):
            seen.setdefault(path, set()).add(call.name.lower())
    return [f"{path} ({', '.join(sorted(how))})" for path, how in seen.items()]


def _section(number: int, title: str, lines: Sequence[str], width: int) -> str:
    body = "\n".join(f"- {one_line(line, width)}" for line in lines) or "None"
    return f"{number}. {title}:\n{body}"
