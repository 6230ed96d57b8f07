"""HTTP/1.1 as far as a loopback API needs it: requests in, heads and chunks out."""

import asyncio
import re
from email.utils import formatdate
from http import HTTPStatus

import msgspec

HEX = re.compile(rb"[0-9a-fA-F]{1,8}")
MAX_HEAD = 64 * 1024
MAX_BODY = 32 * 1024 * 1024
"""The API's limit on a request body (32 MB). A longer one is read and thrown away, so that the client hears the refusal."""


class BadHttp(Exception):
    """What came in is not HTTP; the connection is closed after a plain 400."""


class HttpRequest(msgspec.Struct, frozen=True):
    """One request; header names are lower case; `too_big` when the body was thrown away."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes
    too_big: bool = False

    @property
    def keep_alive(self) -> bool:
        """Whether the client wants the connection kept."""
        return self.headers.get("connection", "").lower() != "close"


async def read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> HttpRequest | None:
    """The next request of a connection, or None when the client closed it. Raises `BadHttp`."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise BadHttp("the request head is too long") from error
    method, target, headers = _parse_head(head)
    if headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    body, too_big = await _read_body(reader, headers)
    path, _, query = target.partition("?")
    return HttpRequest(method, path, query, headers, body, too_big)


def response_head(status: int, headers: dict[str, str]) -> bytes:
    """A response head with its blank line."""
    lines = [f"HTTP/1.1 {status} {_phrase(status)}", f"date: {formatdate(usegmt=True)}"]
    lines.extend(f"{name}: {value}" for name, value in headers.items())
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def chunk(data: bytes) -> bytes:
    """Bytes as one chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


LAST_CHUNK = b"0\r\n\r\n"


def _parse_head(head: bytes) -> tuple[str, str, dict[str, str]]:
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise BadHttp("the request line is not HTTP/1.1")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    return words[0], words[1], headers


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> tuple[bytes, bool]:
    try:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return await _read_chunks(reader)
        size = headers.get("content-length", "0")
        if not size.isdigit():
            raise BadHttp("content-length is not a number")
        if int(size) > MAX_BODY:
            await _discard(reader, int(size))
            return b"", True
        return await reader.readexactly(int(size)), False
    except asyncio.IncompleteReadError as error:
        raise BadHttp("the body ended early") from error


async def _read_chunks(reader: asyncio.StreamReader) -> tuple[bytes, bool]:
    parts: list[bytes] = []
    size = 0
    while True:
        line = (await reader.readline()).split(b";")[0].strip()
        if not HEX.fullmatch(line):
            raise BadHttp("a chunk's size is not a number")
        length = int(line, 16)
        data = await reader.readexactly(length + 2)
        if length == 0:
            return b"".join(parts), size > MAX_BODY
        size += length
        if size <= MAX_BODY:
            parts.append(data[:-2])


async def _discard(reader: asyncio.StreamReader, size: int) -> None:
    while size > 0:
        part = await reader.read(min(size, 1 << 20))
        if not part:
            return
        size -= len(part)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Overloaded" if status == 529 else "Unknown"
