"""Every state a file had before we changed it: copies outside of the project, and a journal of which is which."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from agent.files.atomic import write_atomic
from agent.files.private import make_private
from agent.files.regular import open_to_append, read_regular
from agent.protocol.clock import Clock
from agent.protocol.errors import FilesError

JOURNAL = "journal.jsonl"
SIZE_LIMIT = 64 * 1024 * 1024  # bytes of one file; no tool changes a larger one
MAX_SNAPSHOTS = 100  # design note 000 section 7: fileHistory.ts; here of each file, besides its first


class Saved(Struct, frozen=True, kw_only=True, rename="camel"):
    """One state of a file: `backup_file_name` holds its bytes and `mode` its permission bits; no name when there was no file.

    `backup_time` is ISO 8601 in UTC, as in transcripts. `rewound_from` is the end of the conversation that a rewind left, for the states
    that the rewind itself replaced.
    """

    path: str
    backup_file_name: str | None
    mode: int
    backup_time: str
    rewound_from: str = ""


class FileHistory:
    """The states kept for one session in `folder` (0600 in 0700); nothing is made before the first is kept. Used from any thread."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self.missed: dict[str, str] = {}

    def keep(self, path: Path) -> None:
        """Keeps `path` (absolute, without symlinks) as it is now; what cannot be kept is noted in `missed`, with its time."""
        now = self._now()
        try:
            self._write(path, now, "")
        except (OSError, FilesError):
            self.missed[str(path)] = now

    def pass_over(self, path: Path) -> None:
        """Notes that `path` is about to change and is not kept."""
        self.missed[str(path)] = self._now()

    def keep_replaced(self, path: Path, rewound_from: str) -> None:
        """Keeps what a rewind is about to replace; raises FilesError or OSError when it cannot."""
        self._write(path, self._now(), rewound_from)

    def inherit(self, other: Path) -> None:
        """Takes over what another session has kept in its folder `other`: this one is a copy of it. Best effort."""
        with suppress(OSError):
            shutil.copytree(other, self._folder, copy_function=_link_or_copy)

    def saved(self) -> tuple[Saved, ...]:
        """All states, oldest first; lines of the journal that cannot be read are left out."""
        try:
            lines = read_regular(self._folder / JOURNAL, SIZE_LIMIT).splitlines()
        except OSError:
            return ()
        found = []
        for line in lines:
            with suppress(msgspec.DecodeError):
                found.append(msgspec.json.decode(line, type=Saved))
        return tuple(found)

    def content(self, saved: Saved) -> bytes | None:
        """The bytes of a state, None when there was no file; raises FilesError when its copy is gone."""
        if saved.backup_file_name is None:
            return None
        try:
            return read_regular(self._folder / Path(saved.backup_file_name).name, SIZE_LIMIT)
        except OSError as error:
            raise FilesError(f"The copy of {saved.path} is gone.", safe="The file was left as it is.") from error

    def _now(self) -> str:
        return self._clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _write(self, path: Path, now: str, rewound_from: str) -> None:
        name, mode = None, 0
        with suppress(FileNotFoundError):
            found = path.lstat()
            if not stat.S_ISREG(found.st_mode):
                raise FilesError(f"{path} is not a file.")
            name, mode = self._copy(path), stat.S_IMODE(found.st_mode)
        saved = Saved(path=str(path), backup_file_name=name, mode=mode, backup_time=now, rewound_from=rewound_from)
        record = _encoded(saved)
        make_private(self._folder)
        fd = open_to_append(self._folder / JOURNAL)
        try:
            lead = b"\n" if _torn(fd) else b""
            os.write(fd, lead + record + b"\n")
        finally:
            os.close(fd)
        self._forget(old for old in self.saved() if old.path == saved.path)

    def _copy(self, path: Path) -> str:
        """Puts the bytes of `path` aside under a name made of both, so that equal states of a file are kept once."""
        data = read_regular(path, SIZE_LIMIT)
        name = f"{_digest(str(path).encode('utf-8', 'surrogateescape'))}@{_digest(data)}"
        if not os.path.exists(self._folder / name):
            make_private(self._folder)
            write_atomic(self._folder / name, data, mode=0o600)
        return name

    def _forget(self, states: Iterable[Saved]) -> None:
        """Of each file the first state and the last MAX_SNAPSHOTS are kept."""
        names = [saved.backup_file_name for saved in states]
        wanted = {*names[:1], *names[-MAX_SNAPSHOTS:]}
        for name in set(names[1:-MAX_SNAPSHOTS]) - wanted:
            if name is not None:
                (self._folder / name).unlink(missing_ok=True)


def first_since(states: Sequence[Saved], moment: str) -> tuple[Saved, ...]:
    """The state that each file had at `moment`: the first one kept from then on."""
    found: dict[str, Saved] = {}
    for saved in states:
        if saved.backup_time >= moment:
            found.setdefault(saved.path, saved)
    return tuple(found.values())


def replaced_by_rewind(states: Sequence[Saved], rewound_from: str) -> tuple[Saved, ...]:
    """The states that the latest rewind away from this end of the conversation replaced."""
    return tuple({saved.path: saved for saved in states if saved.rewound_from == rewound_from}.values())


def _link_or_copy(source: str, target: str) -> None:
    """Copies are never written again, so they may be shared; the journal is."""
    if Path(source).name == JOURNAL:
        shutil.copy2(source, target)
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _encoded(saved: Saved) -> bytes:
    try:
        return msgspec.json.encode(saved)
    except UnicodeEncodeError as error:
        raise FilesError(f"{saved.path!r} is no name that can be written down.") from error


def _torn(journal: int) -> bool:
    size = os.fstat(journal).st_size
    return size > 0 and os.pread(journal, 1, size - 1) != b"\n"
