"""Compaction on the server: on demand with a signed block, at a threshold, and the clearing edits."""

from collections.abc import Callable
from typing import Any

import anthropic
import pytest
from anthropic import AsyncAnthropic

from agent.rehearsal.script import Script, call, fail, reply, say, summary, think, thinking, tool
from agent.rehearsal.server import Rehearsal, RehearsalThread
from tests.unit.rehearsal.raw import HEADERS, ask, assistant, post, result, text, use, user

Serve = Callable[..., RehearsalThread]
BETA = HEADERS | {"anthropic-beta": "compact-2026-09-04"}
EDITING = HEADERS | {"anthropic-beta": "context-management-2025-06-27,compact-2026-01-12"}
ADAPTIVE = {"thinking": {"type": "adaptive"}}
SUMMARIZE = {"compaction": {"type": "summarize"}}


def send(api: RehearsalThread, history: list[Any], **fields: object) -> dict[str, Any]:
    """Send under the compaction beta; the answer, which must be a message."""
    status, answer = post(api.url, ask(*history, **(ADAPTIVE | fields)), headers=BETA)
    assert status == 200, answer
    return dict(answer)


def refused(api: RehearsalThread, history: list[Any], **fields: object) -> dict[str, Any]:
    """Send under the compaction beta; the error, for it must be refused."""
    status, answer = post(api.url, ask(*history, **(ADAPTIVE | fields)), headers=BETA)
    assert status == 400, answer
    return dict(answer["error"])


def talked(api: RehearsalThread, *words: str) -> list[Any]:
    """A conversation of these user messages and their answers."""
    history: list[Any] = []
    for word in words:
        history.append(user(word))
        history.append(assistant(*send(api, history)["content"]))
    return history


TALK = [think("a", "one"), think("b", "two")]


def test_a_summary_is_one_signed_block_and_is_paid_for_in_iterations(serve: Serve) -> None:
    api = serve(Script([*TALK, summary("what was said")]))
    answer = send(api, talked(api, "hi", "go"), **SUMMARIZE)
    assert answer["stop_reason"] == "compaction"
    (block,) = answer["content"]
    assert (block["type"], block["content"], block["tool_changes"]) == ("compaction", "what was said", [])
    assert (answer["usage"]["input_tokens"], answer["usage"]["output_tokens"]) == (0, 0)
    (spent,) = answer["usage"]["iterations"]
    assert spent["type"] == "compaction"
    assert spent["input_tokens"] > 5
    api.check()


def kept_tail(api: RehearsalThread) -> tuple[list[Any], dict[str, Any]]:
    """Three exchanges, of which the first two were compacted; the tail and the block."""
    history = talked(api, "hi", "go", "on")
    block = send(api, history[:4], **SUMMARIZE)["content"][0]
    return history[4:], block


SCRIPT = [*TALK, think("c", "three"), summary("s"), think("d", "four"), say("five")]


def test_a_kept_tail_keeps_its_thinking(serve: Serve) -> None:
    api = serve(Script(SCRIPT))
    tail, block = kept_tail(api)
    history = [assistant(block), *tail, user("more")]
    history.append(assistant(*send(api, history)["content"]))
    assert send(api, [*history, user("last")])["content"][0]["text"] == "five"
    api.check()


def test_nothing_may_come_between_the_block_and_the_kept_tail(serve: Serve) -> None:
    api = serve(Script(SCRIPT))
    tail, block = kept_tail(api)
    error = refused(api, [assistant(block), user("restored files"), *tail, user("more")])
    assert "different conversation" in error["message"]


def test_thinking_made_after_a_compaction_does_not_survive_its_undoing(serve: Serve) -> None:
    api = serve(Script(SCRIPT))
    whole = talked(api, "hi", "go", "on")
    block = send(api, whole[:4], **SUMMARIZE)["content"][0]
    answer = send(api, [assistant(block), *whole[4:], user("more")])
    assert (
        "different conversation"
        in refused(api, [*whole, user("more"), assistant(*answer["content"]), user("x")])["message"]
    )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"content": "other"}, "compaction_content_mismatch"),
        ({"tool_changes": [{}]}, "compaction_tool_changes_mismatch"),
        ({"signature": "AAAA"}, "compaction_signature_invalid"),
        ({"encrypted_content": None}, None),
    ],
)
def test_an_altered_block_is_refused(serve: Serve, change: dict[str, Any], code: str | None) -> None:
    api = serve(Script([*TALK, summary("s")]))
    block = send(api, talked(api, "hi", "go"), **SUMMARIZE)["content"][0]
    error = refused(api, [assistant(block | change), user("more")])
    assert error.get("details", {}).get("error_code") == code


def test_the_first_kept_message_differs_in_role_from_the_last_summarised(serve: Serve) -> None:
    api = serve(Script([*TALK, summary("s")]))
    history = talked(api, "hi", "go")
    block = send(api, history[:3], **SUMMARIZE)["content"][0]
    assert "must differ in role" in refused(api, [assistant(block), user("more")])["message"]
    assert api.violations[0].startswith("compaction.kept")


@pytest.mark.parametrize(
    ("answer", "stop"),
    [
        (call("Bash", command="x"), "tool_use"),
        (reply(thinking("only")), "end_turn"),
        (say("no", stop_reason="refusal"), "refusal"),
        (summary("x" * 9000), "max_tokens"),
    ],
)
def test_no_summary_is_an_answer_without_content(serve: Serve, answer: Any, stop: str) -> None:  # noqa: ANN401
    api = serve(Script([*TALK, answer]))
    got = send(api, talked(api, "hi", "go"), **SUMMARIZE)
    assert (got["content"], got["stop_reason"]) == ([], stop)
    assert got["usage"]["iterations"][0]["output_tokens"] > 0


async def test_the_sdk_streams_a_compaction_and_sends_the_block_back() -> None:
    unavailable = fail(529, code="compaction_unavailable")
    async with Rehearsal(Script([say("one"), unavailable, summary("short"), say("two")])) as api:
        client = AsyncAnthropic(base_url=api.url, api_key="x", max_retries=0)
        options: dict[str, Any] = {"model": "claude-sonnet-5-5", "max_tokens": 500, "betas": ["compact-2026-09-04"]}
        history: list[Any] = [{"role": "user", "content": "hi"}]
        first = await client.beta.messages.create(messages=history, **options)
        history.append({"role": "assistant", "content": first.to_dict()["content"]})
        with pytest.raises(anthropic.OverloadedError) as error:
            await client.beta.messages.create(messages=history, compaction={"type": "summarize"}, **options)
        assert error.value.error_code == "compaction_unavailable"
        async with client.beta.messages.stream(messages=history, compaction={"type": "summarize"}, **options) as stream:
            message = await stream.get_final_message()
        assert message.stop_reason == "compaction"
        assert message.usage.iterations is not None
        block = message.content[0].model_dump(exclude_none=True)
        again: list[Any] = [{"role": "assistant", "content": [block]}, {"role": "user", "content": "more"}]
        answer = await client.beta.messages.create(messages=again, **options)
        assert answer.content[0].to_dict()["text"] == "two"
        api.check()
        await client.close()


def loop_of(count: int, size: int) -> list[Any]:
    """A history of tool calls with results of so many characters."""
    history: list[Any] = [user("begin")]
    for number in range(count):
        history += [assistant(use(f"t{number}", input={"n": number})), user(result(f"t{number}", "x" * size))]
    return history


def edit(api: RehearsalThread, history: list[Any], *edits: dict[str, Any], **fields: object) -> dict[str, Any]:
    """Send a request with context edits; the answer."""
    status, answer = post(api.url, ask(*history, context_management={"edits": list(edits)}, **fields), headers=EDITING)
    assert status == 200, answer
    return dict(answer)


def test_old_tool_results_are_cleared_and_reported(serve: Serve) -> None:
    api = serve()
    trigger = {"type": "tool_uses", "value": 5}
    answer = edit(api, loop_of(5, 3300), {"type": "clear_tool_uses_20250919", "trigger": trigger})
    (applied,) = answer["context_management"]["applied_edits"]
    assert (applied["type"], applied["cleared_tool_uses"]) == ("clear_tool_uses_20250919", 2)
    assert 1900 < applied["cleared_input_tokens"] < 2000
    whole = edit(api, loop_of(5, 3300))
    assert whole["usage"]["input_tokens"] - answer["usage"]["input_tokens"] == applied["cleared_input_tokens"]
    assert whole["context_management"] == {"applied_edits": []}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"trigger": {"type": "tool_uses", "value": 5}, "clear_at_least": {"type": "input_tokens", "value": 5000}},
        {"trigger": {"type": "tool_uses", "value": 5}, "exclude_tools": ["Read"]},
        {"trigger": {"type": "tool_uses", "value": 5}, "keep": {"type": "tool_uses", "value": 5}},
    ],
    ids=["below the default trigger", "less than clear_at_least", "excluded", "all kept"],
)
def test_nothing_is_cleared_when_the_edit_does_not_apply(serve: Serve, options: dict[str, Any]) -> None:
    answer = edit(serve(), loop_of(5, 3300), {"type": "clear_tool_uses_20250919"} | options)
    assert answer["context_management"]["applied_edits"] == []


def test_clearing_on_the_server_never_invalidates_thinking(serve: Serve) -> None:
    api = serve(Script([reply(thinking("x" * 330), tool("Read")), think("y" * 330, "b"), say("c")]))
    history: list[Any] = [user("hi")]
    history.append(assistant(*edit(api, history, **ADAPTIVE)["content"]))
    history.append(user(result(history[1]["content"][1]["id"], "z" * 3300)))
    history.append(assistant(*edit(api, history, **ADAPTIVE)["content"]))
    edits = (
        {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 1}},
        {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "tool_uses", "value": 1},
            "keep": {"type": "tool_uses", "value": 0},
        },
    )
    answer = edit(api, [*history, user("go")], *edits, **ADAPTIVE)
    thinking_edit, tools_edit = answer["context_management"]["applied_edits"]
    assert (thinking_edit["cleared_thinking_turns"], thinking_edit["cleared_input_tokens"]) == (1, 100)
    assert tools_edit["cleared_tool_uses"] == 1
    api.check()


def test_inputs_are_cleared_too_when_asked_and_all_thinking_may_be_kept(serve: Serve) -> None:
    api = serve()
    history = [user("go"), assistant(use("t0", input={"content": "x" * 3300})), user(result("t0", "y" * 3300))]
    clear = {
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "tool_uses", "value": 1},
        "keep": {"type": "tool_uses", "value": 0},
    }
    results, both = (
        edit(api, history, clear | {"clear_tool_inputs": inputs})["context_management"]["applied_edits"][0]
        for inputs in (False, True)
    )
    assert both["cleared_input_tokens"] - results["cleared_input_tokens"] > 900
    keep_all = {"type": "clear_thinking_20251015", "keep": "all"}
    assert edit(api, history, keep_all, **ADAPTIVE)["context_management"]["applied_edits"] == []
    keep_one = {"type": "clear_thinking_20251015"}
    assert edit(api, history, keep_one, **ADAPTIVE)["context_management"]["applied_edits"] == []


def test_counting_tells_both_sizes(serve: Serve) -> None:
    api = serve()
    clear = {"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": 5}}
    body = ask(*loop_of(5, 3300), context_management={"edits": [clear]})
    status, counted = post(api.url, body, path="/v1/messages/count_tokens", headers=EDITING)
    assert status == 200
    assert counted["context_management"]["original_input_tokens"] - counted["input_tokens"] > 1900


COMPACT = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}}


def test_threshold_compaction_comes_before_the_answer_and_drops_what_was_before(serve: Serve) -> None:
    api = serve(Script([think("t", "done"), say("next")]))
    history = [user("FACT-1"), assistant("x" * 170_000), user("go")]
    answer = edit(api, history, COMPACT, **ADAPTIVE)
    assert [block["type"] for block in answer["content"]] == ["compaction", "thinking", "text"]
    assert "FACT-1" in answer["content"][0]["content"]
    assert [part["type"] for part in answer["usage"]["iterations"]] == ["compaction", "message"]
    assert answer["usage"]["input_tokens"] < 2000
    later = edit(api, [*history, assistant(*answer["content"]), user("more")], COMPACT, **ADAPTIVE)
    assert later["content"][0]["text"] == "next"
    assert later["usage"]["input_tokens"] < 2000
    api.check()


def test_threshold_compaction_may_pause(serve: Serve) -> None:
    answer = edit(serve(), [user("x" * 170_000)], COMPACT | {"pause_after_compaction": True})
    assert (answer["stop_reason"], [block["type"] for block in answer["content"]]) == ("compaction", ["compaction"])


def test_below_the_threshold_nothing_is_compacted(serve: Serve) -> None:
    answer = edit(serve(), [user(text("hi"))], COMPACT)
    assert [block["type"] for block in answer["content"]] == ["text"]
