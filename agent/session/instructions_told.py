"""InstructionsLoaded hooks: told of every memory file that goes to the model (reference 1.6)."""

from collections.abc import Callable, Sequence
from pathlib import Path

from agent.memory.claude_md import MemoryFile
from agent.protocol.events import Emit
from agent.protocol.hooks import HookEvent, HookInput, HookRunner


def tell_loaded(
    files: Sequence[MemoryFile],
    reason: Callable[[MemoryFile], str],
    hooks: HookRunner,
    emit: Emit,
    trigger: Path | None = None,
) -> None:
    """Starts the hooks for each of `files` and does not wait; `trigger` is the file whose reading loaded them."""
    for file in files:
        why = reason(file)
        fields: dict[str, object] = {"file_path": str(file.path), "memory_type": file.kind, "load_reason": why}
        if file.globs:
            fields["globs"] = list(file.globs)
        if trigger is not None:
            fields["trigger_file_path"] = str(trigger)
        if file.imported_by is not None:
            fields["parent_file_path"] = str(file.imported_by)
        hooks.tell(HookInput(event=HookEvent.INSTRUCTIONS_LOADED, subject=why, fields=fields), emit)
