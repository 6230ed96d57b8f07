"""HTTP as other clients speak it: chunked bodies, 100-continue, connections that close, heads that are too much."""

import json
import socket
from collections.abc import Callable

import pytest

from agent.rehearsal.server import RehearsalThread
from tests.support.patience import PATIENCE
from tests.unit.rehearsal.raw import HEADERS, ask

Serve = Callable[..., RehearsalThread]
NAMES = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
BODY = json.dumps(ask()).encode()


def speak(api: RehearsalThread, *parts: bytes, until: bytes = b"") -> bytes:
    """Send the parts over one connection; after each but the last wait for `until`. All that came back."""
    host, port = api.url.removeprefix("http://").split(":")
    heard = b""
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as line:
        for part in parts[:-1]:
            line.sendall(part)
            while until not in heard:
                heard += line.recv(65536)
        line.sendall(parts[-1])
        line.shutdown(socket.SHUT_WR)
        while got := line.recv(65536):
            heard += got
    return heard


def test_a_chunked_body_is_read(serve: Serve) -> None:
    api = serve()
    head = f"POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n{NAMES}\r\n".encode()
    halves = (BODY[:20], BODY[20:])
    chunks = b"".join(b"%x;note=1\r\n%b\r\n" % (len(half), half) for half in halves) + b"0\r\n\r\n"
    assert speak(api, head + chunks).startswith(b"HTTP/1.1 200 OK")
    assert api.requests[0].body == ask()


def test_a_client_that_asks_first_is_told_to_continue(serve: Serve) -> None:
    head = f"POST /v1/messages HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: {len(BODY)}\r\n{NAMES}\r\n".encode()
    heard = speak(serve(), head, BODY, until=b"100 Continue\r\n\r\n")
    assert b"HTTP/1.1 200 OK" in heard


def test_a_connection_is_closed_when_the_client_wants_it(serve: Serve) -> None:
    request = (
        f"POST /v1/messages HTTP/1.1\r\nconnection: close\r\ncontent-length: {len(BODY)}\r\n{NAMES}\r\n".encode() + BODY
    )
    assert speak(serve(), request + request).count(b"HTTP/1.1 200 OK") == 1


def test_requests_may_follow_without_waiting(serve: Serve) -> None:
    request = f"POST /v1/messages HTTP/1.1\r\ncontent-length: {len(BODY)}\r\n{NAMES}\r\n".encode() + BODY
    assert speak(serve(), request * 3).count(b"HTTP/1.1 200 OK") == 3


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b"POST /v1/messages HTTP/1.1\r\ncontent-length: 10\r\n\r\nshort", b"the body ended early"),
        (b"POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n", b"a chunk's size is not a number"),
        (b"POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n-5\r\n", b"a chunk's size is not a number"),
        (b"POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab", b"the body ended early"),
    ],
)
def test_a_broken_body_is_a_plain_400(serve: Serve, sent: bytes, told: bytes) -> None:
    heard = speak(serve(), sent)
    assert heard.startswith(b"HTTP/1.1 400 Bad Request")
    assert told in heard
