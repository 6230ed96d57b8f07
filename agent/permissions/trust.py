"""Which folders are trusted with which of their settings' items, bound to the items' content."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from agent.files.atomic import files_error, write_atomic
from agent.protocol.asks import TrustItem


class TrustStore:
    """A JSON object in `file`: real folder path to the SHA-256 of what was trusted there. Unreadable means nothing is trusted."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def is_trusted(self, folder: Path, items: Sequence[TrustItem]) -> bool:
        """Whether exactly these items (in any order), or nothing at all, were trusted for `folder`."""
        return not items or self._read().get(_key(folder)) == fingerprint(folder, items)

    def grant(self, folder: Path, items: Sequence[TrustItem]) -> None:
        """Remember these items as trusted for `folder`, instead of what was trusted there before; FilesError when that fails."""
        granted = {**self._read(), _key(folder): fingerprint(folder, items)}
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise files_error(f"Could not make {self._file.parent}", error) from error
        write_atomic(self._file, msgspec.json.format(msgspec.json.encode(granted)) + b"\n", mode=0o600)

    def _read(self) -> dict[str, str]:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, str])
        except (OSError, msgspec.MsgspecError, RecursionError):
            return {}


def fingerprint(folder: Path, items: Sequence[TrustItem]) -> str:
    """SHA-256 (hex) over the folder and the sorted items; each part is length-prefixed by its JSON form, so none can pose as another."""
    parts = sorted((item.kind, item.text, item.source, item.digest) for item in items)
    text = [[_scrub(part) for part in parts_of_one] for parts_of_one in parts]
    return hashlib.sha256(msgspec.json.encode([_key(folder), text])).hexdigest()


def _key(folder: Path) -> str:
    return _scrub(os.path.realpath(folder))


def _scrub(text: str) -> str:
    """Bytes of a file name that are no UTF-8, made printable without loss."""
    return text.encode("utf-8", "backslashreplace").decode()
