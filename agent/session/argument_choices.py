"""What can stand after /resume and /rewind, for pickers and for lists."""

from agent.session.complete import Completion
from agent.session.rewind import rewind_points
from agent.session.state import State
from agent.transcript.catalog import list_sessions

HINT = 100  # characters


def argument_choices(text: str, state: State) -> tuple[Completion, ...]:
    """The choices for a line that begins with `/resume ` or `/rewind `, the newest first; else nothing."""
    if text.startswith("/resume "):
        return tuple(choice for choice in session_choices(state) if choice.text.startswith(text))
    if text.startswith("/rewind "):
        return tuple(choice for choice in rewind_choices(state) if choice.text.startswith(text))
    return ()


def session_choices(state: State) -> tuple[Completion, ...]:
    """The other conversations of this folder."""
    here = state.conversation.transcript.session_id
    return tuple(
        Completion(
            f"/resume {info.id}",
            f"{info.mtime.astimezone():%Y-%m-%d %H:%M} {one_line(info.title or info.first_prompt or '(no prompt)')}",
        )
        for info in list_sessions(state.builder.places.sessions_dir)
        if info.id != here
    )


def rewind_choices(state: State) -> tuple[Completion, ...]:
    """The prompts of this conversation; a compaction between then and now is named."""
    return tuple(
        Completion(
            f"/rewind {point.number}", one_line(point.text) + (" (before a compaction)" if point.compactions else "")
        )
        for point in reversed(rewind_points(state.conversation))
    )


def one_line(text: str) -> str:
    """`text` on one line, cut to what a list can show."""
    line = " ".join(text.split())
    return line if len(line) <= HINT else f"{line[: HINT - 1]}…"
