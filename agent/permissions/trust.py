"""Which folders are trusted with which of their settings' items, each bound to its content."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from agent.files.atomic import files_error, write_atomic
from agent.files.private import make_private
from agent.files.regular import read_regular
from agent.protocol.asks import TrustItem

SIZE_LIMIT = 16 * 1024 * 1024  # bytes; some 200,000 items


class TrustStore:
    """A JSON object in `file`: real folder path to the SHA-256 of each item trusted there. Unreadable means nothing is trusted."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def is_trusted(self, folder: Path, items: Sequence[TrustItem]) -> bool:
        """Whether each of these items was trusted for `folder`: what is new or changed asks again, what is gone does not."""
        return not items or {fingerprint(folder, item) for item in items} <= set(self._read().get(_key(folder), ()))

    def grant(self, folder: Path, items: Sequence[TrustItem]) -> None:
        """Remember these items as trusted for `folder`, instead of what was trusted there before; FilesError when that fails."""
        known = {fingerprint(folder, each) for item in items for each in (item, _name(item))}
        granted = {**self._read(), _key(folder): sorted(known)}
        try:
            make_private(self._file.parent)
        except OSError as error:
            raise files_error(f"Could not make {self._file.parent}", error) from error
        write_atomic(self._file, msgspec.json.format(msgspec.json.encode(granted)) + b"\n", mode=0o600)

    def news(self, folder: Path, items: Sequence[TrustItem]) -> tuple[str, ...]:
        """Of each item, in words, what is different from what was trusted for `folder`; nothing when nothing was."""
        known = set(self._read().get(_key(folder), ()))
        return tuple(_news(folder, item, known) for item in items) if known else ()

    def _read(self) -> dict[str, list[str]]:
        try:
            return msgspec.json.decode(read_regular(self._file, SIZE_LIMIT), type=dict[str, list[str]])
        except (OSError, msgspec.MsgspecError, RecursionError):
            return {}


def fingerprint(folder: Path, item: TrustItem) -> str:
    """SHA-256 (hex) over the folder and the item; each part is set off by its JSON form, so none can pose as another."""
    parts = (_key(folder), *(_scrub(part) for part in (item.kind, item.text, item.source, item.digest)))
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _news(folder: Path, item: TrustItem, known: set[str]) -> str:
    if fingerprint(folder, item) in known:
        return ""
    return "its content has changed" if fingerprint(folder, _name(item)) in known else "new"


def _name(item: TrustItem) -> TrustItem:
    """The item whatever its scripts contain: no kind of its own begins like this, so that it never passes for the item itself."""
    return msgspec.structs.replace(item, kind=f"name of {item.kind}", digest="")


def _key(folder: Path) -> str:
    return _scrub(os.path.realpath(folder))


def _scrub(text: str) -> str:
    """Bytes of a file name that are no UTF-8, made printable without loss."""
    return text.encode("utf-8", "backslashreplace").decode()
