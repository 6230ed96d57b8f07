"""The client on the real wire: answers, replays, the cache, credentials and windows."""

import asyncio
import json
from pathlib import Path

import pytest

from agent.anthropic_api.patience import PROBE_SECONDS, Patience
from agent.anthropic_api.wire import request_body
from agent.protocol.blocks import RedactedThinking, Text, Thinking, ToolResult, ToolUse
from agent.protocol.errors import (
    AuthenticationFailed,
    MissingCredentials,
    SettingsError,
)
from agent.protocol.messages import Message, user_message
from agent.protocol.model import LearntWindow, Reply, ThinkingPiece
from agent.rehearsal.script import (
    Script,
    redacted,
    reply,
    say,
    text,
    thinking,
    tool,
)
from agent.rehearsal.server import Rehearsal
from agent.settings.credentials import Credentials
from tests.support.patience import PATIENCE
from tests.unit.anthropic_api.wire_support import KEY, ONCE, MakeModel, collect, request, shown


async def test_answer_streams_and_ends_in_one_reply(make_model: MakeModel) -> None:
    words = "One two three four five six seven eight nine ten eleven twelve."
    async with Rehearsal(Script([say(words)])) as api:
        deltas, answer = await collect(make_model(api.url), request())
        assert len(deltas) > 1
        assert shown(deltas) == words
        assert [block.text for block in answer.blocks if isinstance(block, Text)] == [words]
        assert (answer.stop_reason, answer.model) == ("end_turn", "claude-sonnet-5-5")
        assert answer.usage is not None
        assert answer.usage.prompt == api.requests[0].usage["input_tokens"]
        assert answer.request_id.startswith("req_")
        api.check()


async def test_wire_carries_exactly_the_body(make_model: MakeModel) -> None:
    sent = request(user_message("héllo \u2028 \U0001f600"), effort="low")
    async with Rehearsal(Script([say("ok")])) as api:
        await collect(make_model(api.url), sent)
        assert api.requests[0].body == {**request_body(sent, ttl="5m"), "stream": True}
        api.check()


async def test_thinking_and_calls_go_back_as_they_came(make_model: MakeModel) -> None:
    thought = "a\u2028 \U0001f600 trailing  "
    first = reply(
        thinking(thought, pad=2000), redacted("secret"), tool("Read", {"z": 1.5, "a": "é"}), tool("Read", {"n": 10**20})
    )
    async with Rehearsal(Script([first, reply(thinking("done?"), text("Done."))])) as api:
        model = make_model(api.url)
        deltas, answer = await collect(model, request())
        assert "".join(delta.text for delta in deltas if isinstance(delta, ThinkingPiece)) == thought
        assert [type(block) for block in answer.blocks] == [Thinking, RedactedThinking, ToolUse, ToolUse]
        results = tuple(
            ToolResult(tool_use_id=block.id, content="ok") for block in answer.blocks if isinstance(block, ToolUse)
        )
        history = (user_message("hi"), Message("assistant", answer.blocks), Message("user", results))
        await collect(model, request(*history))
        replayed = api.requests[1].body["messages"][1]["content"]
        assert [json.dumps(block) for block in replayed] == [json.dumps(json.loads(b.raw)) for b in answer.blocks]
        api.check()


async def test_second_request_reads_the_cache_of_the_first(make_model: MakeModel) -> None:
    long = user_message("word " * 3000)
    async with Rehearsal(Script([say("ok"), say("ok")])) as api:
        model = make_model(api.url)
        _, first = await collect(model, request(long))
        _, second = await collect(model, request(long, Message("assistant", first.blocks), user_message("more")))
    assert first.usage is not None
    assert second.usage is not None
    assert second.usage.cache_read == first.usage.cache_creation > 0


async def test_caching_can_be_switched_off(make_model: MakeModel) -> None:
    async with Rehearsal(Script([say("ok")])) as api:
        await collect(make_model(api.url, cache_ttl=None), request())
        assert "cache_control" not in json.dumps(api.requests[0].body)


async def test_one_connection_serves_many_requests(make_model: MakeModel) -> None:
    async with Rehearsal(Script([say("ok").slow(0.01).times(0)])) as api:
        model = make_model(api.url)
        await collect(model, request())
        first = set(api._connections)
        for _ in range(2):
            await collect(model, request())
        assert len(first) == 1
        assert set(api._connections) == first


async def test_proxy_of_the_environment_is_not_asked_for_this_machine(
    make_model: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    async with Rehearsal(Script([say("ok")])) as api:
        _, answer = await collect(make_model(api.url, retry=ONCE), request())
    assert isinstance(answer, Reply)


async def test_custom_headers_and_token_are_sent(make_model: MakeModel) -> None:
    credentials = Credentials(auth_token="token-123", custom_headers=(("X-Team", "blue"),))
    async with Rehearsal(Script([say("ok")])) as api:
        addressed = Credentials(
            auth_token="token-123", api_key=None, base_url=api.url, custom_headers=credentials.custom_headers
        )
        await collect(make_model(api.url, credentials=addressed), request())
        assert api.requests[0].headers["x-team"] == "blue"
        assert "authorization" in api.requests[0].headers


def test_no_credentials_is_said_at_once(make_model: MakeModel) -> None:
    with pytest.raises(MissingCredentials, match="No API key"):
        make_model("", credentials=Credentials())


@pytest.mark.parametrize("address", ["http://[", "nonsense", "http://h:99999", "http://h:port", "ftp://h"])
def test_address_that_is_none_is_said(make_model: MakeModel, address: str) -> None:
    with pytest.raises(SettingsError, match="ANTHROPIC_BASE_URL is not an address"):
        make_model(address)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("HTTPS_PROXY", "garbage://me:secret@host", "its proxy's address cannot be read"),
        ("HTTPS_PROXY", "http://me:secret@[::", "its proxy's address cannot be read"),
        ("ALL_PROXY", "socks5://me:secret@127.0.0.1:9", "a SOCKS proxy needs the package socksio"),
        ("SSL_CERT_FILE", "/nowhere", "its certificates cannot be read (No such file or directory)"),
        ("SSL_CERT_FILE", __file__, "its certificates cannot be read ("),
    ],
)
def test_an_environment_that_allows_no_connection_is_said(
    make_model: MakeModel, monkeypatch: pytest.MonkeyPatch, name: str, value: str, why: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        make_model("https://example.org")
    assert why in caught.value.line
    assert "secret" not in caught.value.line


@pytest.mark.parametrize(
    "credentials",
    [
        Credentials(api_key="sk-secret\nvalue"),
        Credentials(auth_token="secret\x00value"),
        Credentials(api_key=KEY, custom_headers=(("X-Team", "secret\r\nvalue"),)),
        Credentials(api_key=KEY, custom_headers=(("X Team", "blue"),)),
        Credentials(api_key=KEY, custom_headers=(("X-\u00e9", "blue"),)),
    ],
)
def test_what_no_header_can_hold_is_said_without_the_secret(make_model: MakeModel, credentials: Credentials) -> None:
    with pytest.raises(SettingsError) as caught:
        make_model("", credentials=credentials)
    assert "secret" not in caught.value.line
    assert caught.value.line.isascii()


async def test_key_and_token_together_are_no_error(make_model: MakeModel) -> None:
    async with Rehearsal(Script([say("ok")])) as api:
        both = Credentials(api_key=KEY, auth_token="token-123", base_url=api.url)
        await collect(make_model(api.url, credentials=both), request())


async def test_window_is_learnt_or_unknown(make_model: MakeModel) -> None:
    async with Rehearsal(window=12_000) as api:
        model = make_model(api.url)
        learnt = await model.learn_window("claude-sonnet-5-5")
        assert learnt is not None
        assert learnt.max_input_tokens == 12_000
        assert isinstance(learnt, LearntWindow)
        assert await model.learn_window("nobody-knows") is None
        assert await model.learn_window("") is None
        assert api.requests == []
    assert await model.learn_window("claude-sonnet-5-5") is None


@pytest.mark.parametrize("window", ["0", "-5", "9" * 400, "null", '"x"'])
async def test_an_absurd_window_is_not_learnt(make_model: MakeModel, window: str) -> None:
    body = f'{{"id": "m", "max_input_tokens": {window}, "max_tokens": 1}}'

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = (
            f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n"
        )
        writer.write(f"{head}\r\n{body}".encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert await make_model(url).learn_window("claude-sonnet-5-5") is None


async def test_window_probe_does_not_wait_for_a_dead_server(make_model: MakeModel) -> None:
    connected = asyncio.Event()

    async def hold(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.set()
        await asyncio.sleep(0.2)
        writer.close()

    async with await asyncio.start_server(hold, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert await make_model(url).learn_window("claude-sonnet-5-5") is None
    assert connected.is_set()


async def test_window_probe_waits_as_long_as_it_is_told(make_model: MakeModel) -> None:
    body = b'{"id": "m", "max_input_tokens": 12000, "max_tokens": 1}'

    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(PROBE_SECONDS + 0.1)
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(late, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert await make_model(url).learn_window("claude-sonnet-5-5") is None, "a second, on this machine too"
        learnt = await make_model(url, patience=Patience(probe=PATIENCE)).learn_window("claude-sonnet-5-5")
    assert learnt is not None
    assert learnt.max_input_tokens == 12_000


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the SDK's default profile, in a folder of its own."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
    (tmp_path / "configs").mkdir()
    return tmp_path / "configs" / "default.json"


def test_profile_that_is_not_there_is_said(
    make_model: MakeModel, profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_CONFIG_DIR")
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    with pytest.raises(MissingCredentials, match="profile was not found"):
        make_model("", credentials=Credentials(profile=True))


def test_broken_profile_is_said_in_one_line(make_model: MakeModel, profile: Path) -> None:
    profile.write_text("{broken")
    with pytest.raises(AuthenticationFailed, match="profile does not work") as caught:
        make_model("", credentials=Credentials(profile=True))
    assert "\n" not in caught.value.line
