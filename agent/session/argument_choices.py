"""What can stand after /resume, /rewind, /model and /compact from|up-to, for pickers and for lists."""

from agent.compact.partial_compact import DIRECTIONS
from agent.models.aliases import ALIASES
from agent.models.table import lookup
from agent.protocol.text import one_line
from agent.session.compact_choices import part_completions
from agent.session.complete import Completion
from agent.session.rewind import rewind_points
from agent.session.state import State
from agent.transcript.catalog import list_sessions


def argument_choices(text: str, state: State) -> tuple[Completion, ...]:
    """The choices for a line that begins with one of the four and a space, the newest first; else nothing."""
    for direction in DIRECTIONS:
        if text.startswith(line := f"/compact {direction} "):
            return part_completions(state, direction, text.removeprefix(line))
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
