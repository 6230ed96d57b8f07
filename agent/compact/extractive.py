"""A summary made without a model: the floor that stands when no summariser answers and the history does not fit."""

from collections.abc import Sequence

from agent.compact.prompt import SECTIONS
from agent.compact.ptl_retry import result_text
from agent.protocol.blocks import ToolUse
from agent.protocol.messages import Message

MAX_LINES = 12
LINE = 300  # characters
FILE_TOOLS = ("Read", "Edit", "Write")


def extractive_summary(messages: Sequence[Message]) -> str:
    """Nine sections of verbatim extracts: requests, files, commands, errors and the last answers; bounded to a few thousand tokens."""
    requests = [m.text for m in messages if m.role == "user" and m.text.strip() and not m.tool_results]
    calls = [call for m in messages for call in m.tool_uses]
    answers = [m.text for m in messages if m.role == "assistant" and m.text.strip()]
    bodies: tuple[list[str], ...] = (
        requests[-1:],
        [],
        _files(calls),
        [result_text(r) for m in messages for r in m.tool_results if r.is_error][-MAX_LINES:],
        [f"ran {call.input.get('command', '')}" for call in calls if call.name == "Bash"][-MAX_LINES:],
        requests[-MAX_LINES:],
        [],
        answers[-2:],
        [],
    )
    head = (
        "This summary was put together from the record without a model; it quotes and leaves out, but invents nothing."
    )
    parts = [head, *(_section(i, title, body) for i, (title, body) in enumerate(zip(SECTIONS, bodies, strict=True), 1))]
    return "\n\n".join(parts)


def _files(calls: Sequence[ToolUse]) -> list[str]:
    seen: dict[str, set[str]] = {}
    for call in calls:
        path = call.input.get("file_path")
        if call.name in FILE_TOOLS and isinstance(path, str):
            seen.setdefault(path, set()).add(call.name.lower())
    return [f"{path} ({', '.join(sorted(how))})" for path, how in list(seen.items())[-4 * MAX_LINES :]]


def _section(number: int, title: str, lines: Sequence[str]) -> str:
    body = "\n".join(f"- {_one_line(line)}" for line in lines) or "None"
    return f"{number}. {title}:\n{body}"


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LINE else flat[:LINE] + "…"
