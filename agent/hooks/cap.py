"""Long hook output goes to a file; what is injected stays short (reference 1.7)."""

from pathlib import Path

import msgspec

from agent.files.atomic import write_atomic
from agent.files.private import make_private
from agent.protocol.errors import FilesError
from agent.protocol.hooks import HookOutcome

LIMIT = 10_000  # characters
PREVIEW = 2_000


def cap_outcome(outcome: HookOutcome, folder: Path | None, name: str) -> HookOutcome:
    """`outcome` with every injected text within LIMIT; longer ones become a preview and the path of a file below `folder`."""
    return msgspec.structs.replace(
        outcome,
        reason=cap_text(outcome.reason, folder, f"{name}-reason"),
        context=_cap_all(outcome.context, folder, f"{name}-context"),
        instructions=_cap_all(outcome.instructions, folder, f"{name}-instructions"),
        shown=_cap_all(outcome.shown, folder, f"{name}-shown"),
    )


def cap_text(text: str, folder: Path | None, name: str) -> str:
    """`text`, or its first characters and where the rest is; without a folder, or when the disk refuses, the rest is gone."""
    if len(text) <= LIMIT:
        return text
    head = text[:PREVIEW]
    if folder is None:
        return f"{head}\n[{len(text):,} characters; the rest was dropped]"
    path = folder / f"{name}.txt"
    try:
        make_private(folder)
        write_atomic(path, text.encode("utf-8", "replace"), mode=0o600)
    except (OSError, FilesError):
        return f"{head}\n[{len(text):,} characters; the rest could not be saved]"
    return f"{head}\n[{len(text):,} characters; the whole output is in {path}]"


def _cap_all(texts: tuple[str, ...], folder: Path | None, name: str) -> tuple[str, ...]:
    return tuple(cap_text(text, folder, f"{name}-{at}") for at, text in enumerate(texts))
