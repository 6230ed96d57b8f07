"""What a status line command reads on its stdin: the JSON of reference 7.4, and our own `context`, from the one Reading."""

import json

from agent.context.reading_record import reading_record
from agent.models.aliases import display_name
from agent.protocol.messages import Usage
from agent.protocol.meter import Reading
from agent.protocol.model import ThinkingOff
from agent.session.state import State

LARGE = 200_000  # tokens: what `exceeds_200k_tokens` is about


def status_input(state: State, version: str) -> bytes:
    """One line of JSON; what is not known yet is null."""
    parts, transcript, totals = state.parts, state.conversation.transcript, state.totals
    reading, frame, cwd = state.conversation.reading(parts.frame), parts.frame, str(parts.workplace.cwd)
    effort: dict[str, object] = {"effort": {"level": frame.effort}} if frame.effort else {}
    fields: dict[str, object] = {
        "hook_event_name": "Status",
        "cwd": cwd,
        "session_id": transcript.session_id,
        "transcript_path": str(transcript.path),
        "model": {"id": frame.model, "display_name": display_name(frame.model)},
        "workspace": {
            "current_dir": cwd,
            "project_dir": str(state.builder.places.project_root),
            "added_dirs": [str(folder) for folder in parts.workplace.roots[1:]],
        },
        "version": version,
        "output_style": {"name": "default"},
        "cost": {
            "total_cost_usd": totals.cost,
            "total_duration_ms": round(1000 * (parts.clock.monotonic() - totals.began)),
            "total_api_duration_ms": totals.api_ms,
            "total_lines_added": totals.lines[0],
            "total_lines_removed": totals.lines[1],
        },
        "context_window": _context_window(reading, totals.whole.usage, totals.latest),
        "context": {**reading_record(reading), "estimated": reading.estimated},
        "exceeds_200k_tokens": reading.used is not None and reading.used > LARGE,
        "permission_mode": parts.authority.mode.value,
        "thinking": {"enabled": not isinstance(frame.thinking, ThinkingOff)},
        **effort,
    }
    return json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _context_window(reading: Reading, spent: Usage, latest: Usage | None) -> dict[str, object]:
    """Percentages are of the model window, whole numbers: scripts compare them as integers."""
    share = None if reading.used is None else round(100 * reading.used / max(1, reading.window))
    return {
        "total_input_tokens": spent.prompt,
        "total_output_tokens": spent.output,
        "context_window_size": reading.window,
        "used_percentage": share,
        "remaining_percentage": None if share is None else max(0, 100 - share),
        "current_usage": None if latest is None else latest.record(),
    }
