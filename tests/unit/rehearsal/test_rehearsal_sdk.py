"""The real SDK talks to the server: streams, thinking, tool loops, counting, models, errors."""

from collections.abc import AsyncIterator
from typing import Any

import anthropic
import pytest
from anthropic import AsyncAnthropic

from agent.rehearsal.script import (
    Script,
    breaks,
    call,
    calls,
    fail,
    html,
    redacted,
    reply,
    say,
    text,
    think,
    thinking,
    tool,
)
from agent.rehearsal.server import Rehearsal
from tests.unit.rehearsal.raw import READ

MODEL = "claude-sonnet-5-5"
HI: list[Any] = [{"role": "user", "content": "hi"}]


@pytest.fixture
async def clients() -> AsyncIterator[Any]:
    opened: list[AsyncAnthropic] = []

    def connect(api: Rehearsal) -> AsyncAnthropic:
        opened.append(AsyncAnthropic(base_url=api.url, api_key="x", max_retries=0))
        return opened[-1]

    yield connect
    for client in opened:
        await client.close()


async def stream(client: AsyncAnthropic, messages: list[Any], **fields: Any) -> tuple[Any, list[Any]]:  # noqa: ANN401
    events: list[Any] = []
    fields = {"model": MODEL, "max_tokens": 1000} | fields
    async with client.messages.stream(messages=messages, **fields) as answer:
        async for event in answer:
            events.append(event)
        return await answer.get_final_message(), events


async def test_a_streamed_text_arrives_whole_with_its_usage(clients: Any) -> None:  # noqa: ANN401
    spoken = "Grüße, 世界! " * 40
    async with Rehearsal(Script([say(spoken)])) as api:
        message, events = await stream(clients(api), HI)
        assert (message.content[0].text, message.stop_reason, message.model) == (spoken, "end_turn", MODEL)
        assert message.usage.input_tokens == 5
        assert message.usage.output_tokens == api.requests[0].usage["output_tokens"] > 100
        kinds = [event.type for event in events]
        assert kinds[0] == "message_start"
        assert kinds[-2:] == ["message_delta", "message_stop"]
        assert kinds.count("text") > 10
        api.check()


async def test_an_answer_without_stream_is_the_same_message(clients: Any) -> None:  # noqa: ANN401
    async with Rehearsal(Script([think("hm", say("yes"))])) as api:
        message = await clients(api).messages.create(model=MODEL, max_tokens=100, messages=HI)
        assert [block.type for block in message.content] == ["thinking", "text"]
        assert message.content[0].signature


async def test_a_tool_loop_with_interleaved_thinking_goes_round(clients: Any) -> None:  # noqa: ANN401
    first = reply(
        thinking("look\u2028 ", pad=2000), tool("Read", {"file_path": "/x"}), redacted("b"), tool("Read", {"a": "ö"})
    )
    async with Rehearsal(Script([first, think("seen", "done"), say("bye")])) as api:
        client = clients(api)
        options: dict[str, Any] = {"tools": [READ], "thinking": {"type": "adaptive"}}
        message, _ = await stream(client, HI, **options)
        assert message.stop_reason == "tool_use"
        assert [block.type for block in message.content] == ["thinking", "tool_use", "redacted_thinking", "tool_use"]
        assert message.content[1].input == {"file_path": "/x"}
        assert message.content[3].input == {"a": "ö"}
        history = [*HI, message.to_param()]
        ids = [block.id for block in message.content if block.type == "tool_use"]
        assert len(set(ids)) == 2
        results = [{"type": "tool_result", "tool_use_id": id_, "content": "found"} for id_ in ids]
        history.append({"role": "user", "content": results})
        second, _ = await stream(client, history, **options)
        assert second.content[1].text == "done"
        history += [second.to_param(), {"role": "user", "content": "thanks"}]
        third, _ = await stream(client, history, **options)
        assert third.content[0].text == "bye"
        api.check()


async def test_parallel_calls_have_ids_of_their_own(clients: Any) -> None:  # noqa: ANN401
    async with Rehearsal(
        Script([calls([call("Read", file_path="/a"), call("Read", file_path="/b", name="n")])])
    ) as api:
        message, _ = await stream(clients(api), HI, tools=[READ])
        assert [block.input for block in message.content] == [{"file_path": "/a"}, {"file_path": "/b", "name": "n"}]


async def test_errors_become_the_sdks_own(clients: Any) -> None:  # noqa: ANN401
    script = Script(
        [
            fail(529, headers={"retry-after": "7"}),
            fail(429, message="slow down", headers={"retry-after": "5400"}),
            html(502),
            fail(400, code="compaction_block_ambiguous"),
        ]
    )
    async with Rehearsal(script) as api:
        client = clients(api)
        with pytest.raises(anthropic.APIStatusError) as overloaded:
            await stream(client, HI)
        assert (overloaded.value.status_code, overloaded.value.type) == (529, "overloaded_error")
        assert overloaded.value.response.headers["retry-after"] == "7"
        with pytest.raises(anthropic.RateLimitError, match="slow down"):
            await stream(client, HI)
        with pytest.raises(anthropic.InternalServerError) as gateway:
            await stream(client, HI)
        assert gateway.value.type is None
        with pytest.raises(anthropic.BadRequestError) as coded:
            await stream(client, HI)
        assert coded.value.error_code == "compaction_block_ambiguous"
        assert coded.value.request_id is not None
        api.check()


async def test_an_error_in_the_stream_has_status_200_and_its_type(clients: Any) -> None:  # noqa: ANN401
    async with Rehearsal(Script([breaks(after_words=40)])) as api:
        heard: list[str] = []
        with pytest.raises(anthropic.APIStatusError) as broken:
            async with clients(api).messages.stream(model=MODEL, max_tokens=1000, messages=HI) as answer:
                async for word in answer.text_stream:
                    heard.append(word)
        assert (broken.value.status_code, broken.value.type) == (200, "overloaded_error")
        assert 40 <= len("".join(heard).split()) < 60


async def test_counting_agrees_with_the_usage(clients: Any) -> None:  # noqa: ANN401
    async with Rehearsal(Script([say("ok")])) as api:
        client = clients(api)
        options: dict[str, Any] = {"model": MODEL, "messages": HI, "tools": [READ], "system": "be brief"}
        counted = await client.messages.count_tokens(**options)
        message = await client.messages.create(max_tokens=100, **options)
        assert counted.input_tokens == message.usage.input_tokens


async def test_models_are_listed_with_windows_and_capabilities(clients: Any) -> None:  # noqa: ANN401
    async with Rehearsal(window=12_000, max_output=4_000) as api:
        client = clients(api)
        listed = [model.id async for model in client.models.list()]
        assert MODEL in listed
        known = await client.models.retrieve(MODEL)
        assert (known.max_input_tokens, known.max_tokens, known.line) == (12_000, 4_000, "sonnet")
        assert known.capabilities.thinking.types.adaptive.supported
        assert not known.capabilities.thinking.types.enabled.supported
        assert (await client.beta.models.retrieve(MODEL)).capabilities.compaction.summarize.supported
        assert (await client.models.retrieve("claude-haiku-4-5-20251001")).display_name == "Claude Haiku 4.5"
        with pytest.raises(anthropic.NotFoundError):
            await client.models.retrieve("claude-nonesuch")


async def test_a_stop_sequence_ends_the_answer(clients: Any) -> None:  # noqa: ANN401
    async with Rehearsal(Script([say("one STOP two")])) as api:
        message, _ = await stream(clients(api), HI, stop_sequences=["STOP"])
        assert (message.content[0].text, message.stop_reason, message.stop_sequence) == (
            "one ",
            "stop_sequence",
            "STOP",
        )


async def test_max_tokens_cuts_the_answer_and_a_tools_json(clients: Any) -> None:  # noqa: ANN401
    long = tool("Write", {"file_path": "/x", "content": "y" * 2000})
    async with Rehearsal(Script([say("z" * 1000), reply(text("here"), long)])) as api:
        client = clients(api)
        message, _ = await stream(client, HI, max_tokens=50)
        assert (message.stop_reason, message.usage.output_tokens) == ("max_tokens", 50)
        assert len(message.content[0].text) == 165
        message, events = await stream(client, HI, max_tokens=50)
        assert message.stop_reason == "max_tokens"
        partial = "".join(event.partial_json for event in events if event.type == "input_json")
        assert partial.startswith('{"file_path":"/x","content":"yyy')
        assert not partial.endswith("}")


async def test_max_tokens_cuts_thinking_and_whatever_follows_is_gone(clients: Any) -> None:  # noqa: ANN401
    async with Rehearsal(
        Script([think("t" * 1000, "never said"), reply(text("x" * 33), tool("Write", {"a": 1}))])
    ) as api:
        client = clients(api)
        message, _ = await stream(client, HI, max_tokens=50)
        assert ([block.type for block in message.content], message.stop_reason) == (["thinking"], "max_tokens")
        assert len(message.content[0].thinking) == 165
        message, _ = await stream(client, HI, max_tokens=10)
        assert [block.type for block in message.content] == ["text"]


async def test_new_models_stop_at_the_window(clients: Any) -> None:  # noqa: ANN401
    async with Rehearsal(Script([say("z" * 1000)]), window=50) as api:
        message, _ = await stream(clients(api), HI, max_tokens=1000)
        assert message.stop_reason == "model_context_window_exceeded"
        assert message.usage.input_tokens + message.usage.output_tokens == 50


async def test_scripted_usage_and_stop_reason_are_sent(clients: Any) -> None:  # noqa: ANN401
    script = Script([say("so", stop_reason="refusal", usage={"input_tokens": 170_000, "output_tokens": 3})])
    async with Rehearsal(script) as api:
        message, _ = await stream(clients(api), HI)
        assert (message.stop_reason, message.usage.input_tokens, message.usage.output_tokens) == ("refusal", 170_000, 3)


async def test_omitted_thinking_keeps_its_signature(clients: Any) -> None:  # noqa: ANN401
    async with Rehearsal(Script([think("secret", "a"), say("b")])) as api:
        client = clients(api)
        options: dict[str, Any] = {"thinking": {"type": "adaptive", "display": "omitted"}}
        message, _ = await stream(client, HI, **options)
        assert (message.content[0].thinking, bool(message.content[0].signature)) == ("", True)
        await stream(client, [*HI, message.to_param(), {"role": "user", "content": "go"}], **options)
        api.check()
