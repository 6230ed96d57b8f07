"""A page of a text file, read in bounded memory however large the file is, with the stamp of the whole."""

import hashlib
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from agent.files.regular import open_regular
from agent.protocol.errors import ToolError
from agent.protocol.tools import FileStamp
from agent.tools.text_file import MAX_BYTES, SNIFF, decode, looks_binary, marked_encoding

_CHUNK = 1024 * 1024


class Page(Struct, frozen=True):
    """`lines` (bytes, without endings) from line `first` on, of `total` lines; `head` are the file's first bytes.

    A UTF-16 or UTF-32 file is given as UTF-8. A binary file has no lines.
    """

    lines: tuple[bytes, ...]
    first: int
    total: int
    stamp: FileStamp
    head: bytes
    binary: bool = False


def read_page(path: Path, first: int, count: int, max_bytes: int, max_line: int) -> Page:
    """`count` lines from line `first` (1-based), fewer once they hold `max_bytes`, each cut at `max_line` bytes.

    Raises ToolError when it cannot be read.
    """
    try:
        with open_regular(path) as file:
            return _read(file, first, _Pager(first, count, max_bytes, max_line))
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror}.") from error


def _read(file: BinaryIO, first: int, pager: "_Pager") -> Page:
    digest = hashlib.sha256()
    head = file.read(SNIFF)
    file.seek(0)
    bom, encoding = marked_encoding(head)
    binary = not bom and looks_binary(head)
    if encoding == "utf-8":
        for at, chunk in enumerate(_chunks(file)):
            digest.update(chunk)
            pager.feed(chunk[len(bom) :] if at == 0 else chunk)
    else:
        binary = not _feed_converted(file, digest.update, pager)
    found = os.fstat(file.fileno())
    stamp = FileStamp(sha256=digest.hexdigest(), mtime_ns=found.st_mtime_ns, size=file.tell())
    lines = () if binary else tuple(pager.lines())
    return Page(lines=lines, first=first, total=pager.total, stamp=stamp, head=head, binary=binary)


def _feed_converted(file: BinaryIO, seen: Callable[[bytes], object], pager: "_Pager") -> bool:
    """Feed a UTF-16 or UTF-32 file as UTF-8; False when it is not what its mark says."""
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ToolError("The file is too large to be read in its encoding. Convert it to UTF-8 through Bash.")
    seen(data)
    converted = decode(data)
    if converted is None:
        return False
    for chunk in _chunks(io.BytesIO(converted.text.encode())):
        pager.feed(chunk)
    return True


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


class _Pager:
    """Cuts a stream of bytes into lines, keeps those of one page (of each at most `max_line` bytes) and counts the rest."""

    def __init__(self, first: int, count: int, max_bytes: int, max_line: int) -> None:
        self._first, self._after = first - 1, first - 1 + count  # 0-based, half open
        self._room = max_bytes
        self._max_line = max_line
        self._kept: list[bytearray] = []
        self._full = False
        self._newlines = 0
        self._open = False  # whether bytes follow the last newline

    @property
    def total(self) -> int:
        return self._newlines + self._open

    def feed(self, chunk: bytes) -> None:
        if not self._full and self._newlines < self._after:
            self._keep(chunk)
        self._newlines += chunk.count(b"\n")
        self._open = not chunk.endswith(b"\n") if chunk else self._open

    def _keep(self, chunk: bytes) -> None:
        number, start = self._newlines, 0
        while start < len(chunk) and number < self._after:
            end = chunk.find(b"\n", start)
            stop = len(chunk) if end < 0 else end
            if number >= self._first and not self._add(number - self._first, chunk[start:stop]):
                self._full = True
                return
            start, number = stop + 1, number + 1

    def _add(self, index: int, piece: bytes) -> bool:
        """Append to the line `index` of the page; False when no further line may begin."""
        if index == len(self._kept):
            if self._room <= 0:
                return False
            self._kept.append(bytearray())
        line = self._kept[index]
        line += piece[: self._max_line - len(line)]
        self._room -= min(len(piece), self._max_line) + 1
        return True

    def lines(self) -> list[bytes]:
        return [bytes(line).removesuffix(b"\r") for line in self._kept]
