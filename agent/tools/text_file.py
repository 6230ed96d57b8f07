"""A text file as it is on disk, so that what we do not change goes back byte for byte."""

import codecs
import os
import stat
from pathlib import Path

from msgspec import Struct

from agent.files.regular import kind_of, read_regular
from agent.protocol.errors import ToolError

MAX_BYTES = 64 * 1024 * 1024  # what Edit and Write hold in memory
SNIFF = 8_192  # bytes looked at to tell text from binary

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b")) + b"\x7f"


class TextFile(Struct, frozen=True):
    """`text` keeps the file's own line endings; bytes that are no UTF-8 live in it as surrogate escapes and go back unchanged."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""

    @property
    def is_utf8(self) -> bool:
        """Whether all of it is what its encoding says."""
        try:
            self.text.encode("utf-8")
        except UnicodeEncodeError:
            return False
        return True

    @property
    def newline(self) -> str:
        r"""The line ending that prevails: "\r\n" or "\n"."""
        crlf = self.text.count("\r\n")
        return "\r\n" if crlf * 2 > self.text.count("\n") else "\n"

    def to_bytes(self) -> bytes:
        """The file's bytes."""
        errors = "surrogateescape" if self.encoding == "utf-8" else "strict"
        return self.bom + self.text.encode(self.encoding, errors)


def decode(data: bytes) -> TextFile | None:
    """`data` as text, or None when it is binary."""
    bom, encoding = marked_encoding(data)
    if not bom and looks_binary(data[:SNIFF]):
        return None
    body = data[len(bom) :]
    if encoding == "utf-8":
        return TextFile(text=body.decode("utf-8", "surrogateescape"), bom=bom)
    try:
        return TextFile(text=body.decode(encoding), encoding=encoding, bom=bom)
    except UnicodeDecodeError:
        return None


def marked_encoding(head: bytes) -> tuple[bytes, str]:
    """The byte-order mark that `head` begins with and the encoding it stands for; no mark means UTF-8."""
    return next(((bom, encoding) for bom, encoding in _BOMS if head.startswith(bom)), (b"", "utf-8"))


def looks_binary(head: bytes) -> bool:
    """Whether the first bytes of a file without a byte-order mark are no text: a NUL, or many control characters."""
    if b"\0" in head:
        return True
    return len(head) - len(head.translate(None, _CONTROL)) > len(head) // 10


def regular_stat(path: Path) -> os.stat_result | None:
    """The status of the file at `path`, None when there is none; raises ToolError for whatever is no regular file, without opening it."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ToolError(f"{path} cannot be used: {error.strerror}.") from error
    if stat.S_ISDIR(found.st_mode):
        raise ToolError(f"{path} is a directory. Use Glob, or ls through Bash, to see what is in it.")
    if not stat.S_ISREG(found.st_mode):
        raise ToolError(f"{path} is {kind_of(found.st_mode)}, not a regular file.")
    return found


def load(path: Path) -> tuple[bytes, os.stat_result] | None:
    """All bytes of the regular file at `path` with its status, None when there is none; raises ToolError."""
    found = regular_stat(path)
    if found is None:
        return None
    if found.st_size > MAX_BYTES:
        raise ToolError(f"{path} is too large for this tool ({found.st_size:,} bytes). Change it through Bash.")
    try:
        return read_regular(path, MAX_BYTES), found
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror}.") from error
