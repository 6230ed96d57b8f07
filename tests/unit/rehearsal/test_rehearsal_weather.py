"""Nasty weather on the way: cuts, resets, stalls, chunks that split characters, pages of proxies, slow clients."""

import contextlib
import json
import socket
import time
from collections.abc import Callable

import pytest
from anthropic import AsyncAnthropic
from httpx2 import RemoteProtocolError

from agent.rehearsal.replies import Weather
from agent.rehearsal.script import Script, breaks, drop, empty, fail, html, say, stall
from agent.rehearsal.server import Rehearsal, RehearsalThread
from tests.support.patience import PATIENCE, block_until
from tests.unit.rehearsal.raw import HEADERS, ask, post

Serve = Callable[..., RehearsalThread]


def talk(api: RehearsalThread, *, stream: bool = True, path: str = "/v1/messages") -> socket.socket:
    """Open a connection, send one request over it, and return it."""
    body = json.dumps(ask(stream=stream)).encode()
    head = [f"POST {path} HTTP/1.1", "host: x", f"content-length: {len(body)}"]
    head += [f"{name}: {value}" for name, value in HEADERS.items()]
    host, port = api.url.removeprefix("http://").split(":")
    line = socket.create_connection((host, int(port)), timeout=PATIENCE)
    line.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)
    return line


def everything(line: socket.socket) -> bytes:
    """All that comes until the other side closes; then this side closes too."""
    data = b""
    with line:
        while part := line.recv(65536):
            data += part
    return data


def body_of(raw: bytes) -> bytes:
    """The body of a chunked answer, as far as it came."""
    _, _, rest = raw.partition(b"\r\n\r\n")
    body = b""
    while b"\r\n" in rest:
        size, _, rest = rest.partition(b"\r\n")
        body += rest[: int(size, 16)]
        rest = rest[int(size, 16) + 2 :]
    return body


def test_a_drop_closes_after_exactly_so_many_bytes(serve: Serve) -> None:
    raw = everything(talk(serve(Script([drop(200)]))))
    assert raw.startswith(b"HTTP/1.1 200 OK\r\n")
    assert len(body_of(raw)) == 200
    assert not raw.endswith(b"0\r\n\r\n")


def test_a_reset_is_a_reset(serve: Serve) -> None:
    with pytest.raises(ConnectionResetError):
        everything(talk(serve(Script([drop(200, rst=True)]))))


async def test_the_sdk_hears_a_drop_as_a_connection_error() -> None:
    async with Rehearsal(Script([drop(600)])) as api:
        client = AsyncAnthropic(base_url=api.url, api_key="x", max_retries=0)
        with pytest.raises(RemoteProtocolError):
            async with client.messages.stream(
                model="claude-sonnet-5-5", max_tokens=9, messages=[{"role": "user", "content": "hi"}]
            ) as answer:
                await answer.get_final_message()
        await client.close()


def test_chunks_may_split_characters_and_lines(serve: Serve) -> None:
    spoken = "Größe 世界 🎉"
    raw = talk(serve(Script([say(spoken).by(Weather(chunk=1))])))
    data = b""
    while not data.endswith(b"0\r\n\r\n"):
        data += raw.recv(65536)
    raw.close()
    heard = [json.loads(line[6:]) for line in body_of(data).decode().splitlines() if line.startswith("data: ")]
    assert "".join(event["delta"].get("text", "") for event in heard if "delta" in event) == spoken
    assert data.count(b"\r\n1\r\n") > 300


def test_a_stall_pings_and_goes_on(serve: Serve) -> None:
    line = talk(serve(Script([stall(1.0, after_words=1, pings=True, of=say("one two three four five six seven"))])))
    data = b""
    while b"message_stop" not in data:
        data += line.recv(65536)
    line.close()
    between = data[data.index(b"one") : data.index(b"seven")]
    assert between.count(b"event: ping") >= 2


def test_a_slow_answer_ends_when_the_client_leaves(serve: Serve) -> None:
    api = serve(Script([say("word " * 100).slow(5.0)]))
    line = talk(api)
    line.recv(100)
    line.close()
    block_until(lambda: api.requests[0].hung_up)


def test_closing_cuts_a_stall_short() -> None:
    with RehearsalThread(Script([stall(3600)])) as api:
        line = talk(api)
        heard = line.recv(100)
    with contextlib.suppress(ConnectionResetError):
        heard += everything(line)
    line.close()
    assert heard.startswith(b"HTTP/1.1 200")
    assert b"message_stop" not in heard


def test_pages_and_empty_bodies(serve: Serve) -> None:
    api = serve(Script([html(504), html(413, "<h1>413</h1>"), empty(), fail(529)]))
    heard = []
    for _ in range(4):
        line = talk(api)
        line.shutdown(socket.SHUT_WR)
        heard.append(everything(line))
    assert heard[0].startswith(b"HTTP/1.1 504 Gateway Timeout")
    assert b"content-type: text/html" in heard[0]
    assert heard[1].endswith(b"<h1>413</h1>")
    assert heard[2].endswith(b"content-length: 0\r\n\r\n")
    assert heard[3].startswith(b"HTTP/1.1 529 Overloaded")
    assert [record.status for record in api.requests] == [504, 413, 200, 529]


def test_a_break_of_an_answer_that_is_not_streamed_is_an_error(serve: Serve) -> None:
    status, answer = post(serve(Script([breaks()])).url, ask())
    assert (status, answer["error"]) == (529, {"type": "overloaded_error", "message": "Overloaded"})


def test_a_delay_comes_before_the_head(serve: Serve) -> None:
    began = time.monotonic()
    line = talk(serve(Script([say("late").slow(0.0, delay=0.3)])))
    assert line.recv(8) == b"HTTP/1.1"
    assert time.monotonic() - began >= 0.3
    line.close()


def test_one_connection_carries_many_requests(serve: Serve) -> None:
    api = serve()
    line = talk(api, stream=False)
    for _ in range(3):
        head = b""
        while b"\r\n\r\n" not in head:
            head += line.recv(1)
        size = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
        while size:
            size -= len(line.recv(size))
        body = json.dumps(ask()).encode()
        names = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
        line.sendall(
            f"POST /v1/messages?beta=true HTTP/1.1\r\ncontent-length: {len(body)}\r\n{names}\r\n".encode() + body
        )
    line.close()
    assert len(api.requests) >= 3


def test_what_is_not_http_is_refused(serve: Serve) -> None:
    host, port = serve().url.removeprefix("http://").split(":")
    for junk in (b"hello\r\n\r\n", b"GET / HTTP/1.1\r\ncontent-length: x\r\n\r\n", b"x" * 100_000):
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as line:
            line.sendall(junk)
            line.shutdown(socket.SHUT_WR)
            try:
                assert everything(line).startswith(b"HTTP/1.1 400")
            except ConnectionResetError:
                assert len(junk) > 64 * 1024


def test_unknown_paths_are_not_found(serve: Serve) -> None:
    status, answer = post(serve().url, {}, path="/v1/complete")
    assert (status, answer["error"]["type"]) == (404, "not_found_error")


def test_two_servers_and_a_taken_port(serve: Serve) -> None:
    port = int(serve().url.rsplit(":", 1)[1])
    with pytest.raises(OSError, match="address already in use"):
        RehearsalThread(port=port).start()


def test_one_stalled_answer_does_not_hold_up_the_next(serve: Serve) -> None:
    api = serve(Script([stall(3600), say("fast")]))
    with talk(api) as stalled:
        stalled.recv(100)
        assert post(api.url, ask())[1]["content"][0]["text"] == "fast"
