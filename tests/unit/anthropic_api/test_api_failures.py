"""The client when the API fails: the right error, the right number of attempts, nothing half done."""

import json
from pathlib import Path

import pytest

from agent.anthropic_api.retry import RetryPolicy
from agent.protocol.blocks import Text
from agent.protocol.errors import (
    AuthenticationFailed,
    ConnectionFailed,
    InvalidRequest,
    ModelError,
    NoSuchModel,
    Overloaded,
    PromptTooLong,
    RateLimited,
    RequestTooLarge,
    ServerFailed,
    StreamBroken,
)
from agent.protocol.messages import user_message
from agent.protocol.model import Retrying
from agent.protocol.source import QuerySource
from agent.rehearsal.replies import Reply as Scripted
from agent.rehearsal.script import (
    Script,
    breaks,
    call,
    drop,
    fail,
    html,
    reply,
    say,
    text,
    too_long,
    tool,
)
from agent.rehearsal.server import Rehearsal
from tests.unit.anthropic_api.wire_support import KEY, ONCE, HandClock, MakeModel, collect, request, shown


async def failure(make_model: MakeModel, scripted: Scripted, retry: RetryPolicy = ONCE) -> ModelError:
    """The error that this answer comes to."""
    async with Rehearsal(Script([scripted.times(0)])) as api:
        with pytest.raises(ModelError) as caught:
            await collect(make_model(api.url, retry=retry), request())
    return caught.value


@pytest.mark.parametrize(
    ("scripted", "kind"),
    [
        (fail(400), InvalidRequest),
        (fail(401), AuthenticationFailed),
        (fail(402), AuthenticationFailed),
        (fail(403), AuthenticationFailed),
        (fail(404), NoSuchModel),
        (fail(413), RequestTooLarge),
        (html(413), RequestTooLarge),
        (fail(429), RateLimited),
        (fail(500), ServerFailed),
        (html(502), ServerFailed),
        (html(504), ServerFailed),
        (fail(529), Overloaded),
        (html(200), InvalidRequest),
        (breaks(), Overloaded),
        (breaks("api_error"), ServerFailed),
        (breaks("invalid_request_error"), InvalidRequest),
        (drop(), StreamBroken),
        (drop(rst=True), StreamBroken),
    ],
)
async def test_failures_find_their_place_and_show_no_html(
    make_model: MakeModel, scripted: Scripted, kind: type[ModelError]
) -> None:
    error = await failure(make_model, scripted)
    assert type(error) is kind
    assert "<" not in error.line
    assert "\n" not in error.line


async def test_prompt_too_long_names_the_gap(make_model: MakeModel) -> None:
    error = await failure(make_model, too_long(21_500, 20_000), RetryPolicy())
    assert isinstance(error, PromptTooLong)
    assert error.gap == 1500


async def test_window_of_the_server_is_respected_as_too_long(make_model: MakeModel) -> None:
    async with Rehearsal(Script([say("ok")]), window=4000) as api:
        with pytest.raises(PromptTooLong) as caught:
            await collect(make_model(api.url), request(user_message("word " * 9000)))
    assert caught.value.limit == 4000


async def test_key_in_an_error_is_masked(make_model: MakeModel) -> None:
    error = await failure(make_model, fail(401, message=f"invalid key {KEY}"))
    assert KEY not in error.line
    assert KEY not in str(error)


async def test_nobody_listening(make_model: MakeModel, clock: HandClock) -> None:
    async with Rehearsal() as api:
        url = api.url
    with pytest.raises(ConnectionFailed, match=url.removeprefix("http://")):
        await collect(make_model(url, retry=RetryPolicy(max_attempts=3)), request())
    assert len(clock.pauses) == 2


async def test_overload_before_and_inside_the_stream_is_retried(
    make_model: MakeModel, clock: HandClock, log_folder: Path
) -> None:
    script = Script([fail(529), breaks(after_words=0), breaks(after_words=30), say("All of it.")])
    async with Rehearsal(script) as api:
        deltas, answer = await collect(make_model(api.url), request())
        assert len(api.requests) == 4
    assert shown(deltas) == "All of it."
    assert [delta.attempt for delta in deltas if isinstance(delta, Retrying)] == [1, 2, 3]
    assert clock.pauses == sorted(clock.pauses)
    assert [block.text for block in answer.blocks if isinstance(block, Text)] == ["All of it."]
    records = [json.loads(line) for line in (log_folder / "ccagent.jsonl").read_text().splitlines()]
    assert [(record["event"], record["attempt"]) for record in records] == [("api_retry", n) for n in (1, 2, 3)]


async def test_gateway_timeouts_during_a_compaction_are_retried_thrice_at_most(make_model: MakeModel) -> None:
    async with Rehearsal(Script([html(504), drop(), say("Summary.")])) as api:
        _, answer = await collect(make_model(api.url), request(query_source=QuerySource.COMPACT))
        assert answer.stop_reason == "end_turn"
    async with Rehearsal(Script([html(504).times(0)])) as api:
        with pytest.raises(ServerFailed):
            await collect(make_model(api.url), request(query_source=QuerySource.COMPACT))
        assert len(api.requests) == 3


async def test_rate_limit_waits_as_asked_or_reports(make_model: MakeModel, clock: HandClock) -> None:
    async with Rehearsal(Script([fail(429, headers={"retry-after": "2"}), say("ok")])) as api:
        await collect(make_model(api.url), request())
    assert clock.pauses == [2.0]
    error = await failure(make_model, fail(429, headers={"retry-after": "3600"}), RetryPolicy())
    assert isinstance(error, RateLimited)
    assert "60 min" in error.line
    assert clock.pauses == [2.0]


async def test_dropped_call_never_reaches_the_reply(make_model: MakeModel) -> None:
    cut = call("Write", file_path="/a.txt", content="A" * 2000)
    async with Rehearsal(Script([drop(700, of=cut), say("Never mind.")])) as api:
        _, answer = await collect(make_model(api.url), request())
    assert [type(block) for block in answer.blocks] == [Text]


async def test_call_cut_by_max_tokens_never_reaches_the_reply(make_model: MakeModel) -> None:
    cut = reply(text("Writing."), tool("Write", {"content": "A" * 500}, cut=100), stop_reason="max_tokens")
    async with Rehearsal(Script([cut])) as api:
        _, answer = await collect(make_model(api.url), request())
    assert answer.stop_reason == "max_tokens"
    assert [type(block) for block in answer.blocks] == [Text]


async def test_server_that_wants_no_retry_gets_none(make_model: MakeModel) -> None:
    async with Rehearsal(Script([fail(529, headers={"x-should-retry": "false"}).times(0)])) as api:
        with pytest.raises(Overloaded):
            await collect(make_model(api.url), request())
        assert len(api.requests) == 1
