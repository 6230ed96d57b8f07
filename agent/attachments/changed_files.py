"""Files the model knows that somebody else changed on disk meanwhile: told once for each change."""

import hashlib
from pathlib import Path

from agent.files.regular import open_regular
from agent.protocol.tools import FileStamp, ReadState

MAX_NAMED = 20
_CHUNK = 1_000_000


class ChangedFiles:
    """Remembers what it has told; one per conversation."""

    def __init__(self) -> None:
        self._told: dict[Path, tuple[int, int]] = {}

    def notice(self, read_state: ReadState) -> str:
        """A text that names the files whose content is no longer what the model saw; empty when there are none.

        A file that was only touched, or whose present state was told before, is not named.
        """
        lines = [line for path in read_state.recent() if (line := self._look(path, read_state.get(path)))]
        if not lines:
            return ""
        more = [f"... and {len(lines) - MAX_NAMED} more"] if len(lines) > MAX_NAMED else []
        head = "These files are no longer as you last saw them. Read them again before you rely on them:"
        return "\n".join([head, *lines[:MAX_NAMED], *more])

    def _look(self, path: Path, known: FileStamp | None) -> str:
        if known is None:
            return ""
        try:
            state = path.stat()
            now = (state.st_mtime_ns, state.st_size)
            changed = now != (known.mtime_ns, known.size) and (
                state.st_size != known.size or _sha256(path) != known.sha256
            )
        except OSError:
            now, changed = (-1, -1), True
        if not changed or self._told.get(path) == now:
            return ""
        self._told[path] = now
        return f"{path} (deleted)" if now == (-1, -1) else str(path)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open_regular(path) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
