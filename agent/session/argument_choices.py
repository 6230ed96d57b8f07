"""What can stand after /resume, /rewind and /model, for pickers and for lists."""

from agent.models.aliases import ALIASES
from agent.models.table import lookup
from agent.session.complete import Completion
from agent.session.rewind import rewind_points
from agent.session.state import State
from agent.transcript.catalog import list_sessions

HINT = 100  # characters


def argument_choices(text: str, state: State) -> tuple[Completion, ...]:
    """The choices for a line that begins with one of the three and a space, the newest first; else nothing."""
    choices = {"/resume": session_choices, "/rewind": rewind_choices, "/model": model_choices}
    command, space, _ = text.partition(" ")
    if not space or command not in choices:
        return ()
    return tuple(choice for choice in choices[command](state) if choice.text.startswith(text))


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


def model_choices(state: State) -> tuple[Completion, ...]:
    """The models that have a short name."""
    here = state.parts.frame.model
    return tuple(
        Completion(f"/model {alias}", f"{model} · {lookup(model).window:,} tokens{' (now)' if model == here else ''}")
        for alias, model in ALIASES.items()
    )


def one_line(text: str) -> str:
    """`text` on one line, cut to what a list can show."""
    line = " ".join(text.split())
    return line if len(line) <= HINT else f"{line[: HINT - 1]}…"
