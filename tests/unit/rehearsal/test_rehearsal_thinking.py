"""Signed thinking is bound to its text, its order and the conversation before it; what may be dropped, and what may not."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.rehearsal.script import Script, redacted, reply, say, think, thinking, tool
from agent.rehearsal.script import text as says
from agent.rehearsal.server import RehearsalThread
from tests.unit.rehearsal.raw import HEADERS, ask, assistant, post, result, text, user

Serve = Callable[..., RehearsalThread]
ADAPTIVE = {"thinking": {"type": "adaptive"}}
BINDING = HEADERS | {"anthropic-beta": "thinking-binding-controls-2026-08-01"}
DROP = {"thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}}
LEGACY = {"model": "claude-sonnet-4-6"}


def talk(api: RehearsalThread, history: list[Any], **fields: object) -> list[Any]:
    """Send the history, and return it with the answer."""
    status, answer = post(api.url, ask(*history, **(ADAPTIVE | fields)))
    assert status == 200, answer
    return [*history, assistant(*answer["content"])]


def refused(api: RehearsalThread, history: list[Any], **fields: object) -> str:
    """Send the history, which is refused, and return the message."""
    status, answer = post(api.url, ask(*history, **(ADAPTIVE | fields)))
    assert status == 400, answer
    return str(answer["error"]["message"])


def looped(api: RehearsalThread, **fields: object) -> list[Any]:
    """A tool loop: think, call, result, think and answer; the user speaks again."""
    history = talk(api, [user("hi")], **fields)
    called = next(block["id"] for block in history[-1]["content"] if block["type"] == "tool_use")
    history = talk(api, [*history, user(result(called))], **fields)
    return [*history, user("more")]


LOOP = [reply(thinking("first"), tool("Read")), think("second", "done")]


def test_an_unchanged_history_passes(serve: Serve) -> None:
    api = serve(Script([*LOOP, say("ok")]))
    talk(api, looped(api))
    api.check()


def test_cache_marks_splits_and_the_string_form_change_nothing(serve: Serve) -> None:
    api = serve(Script([*LOOP, say("ok")]))
    history = looped(api)
    history[0] = user(text("hi", cache_control={"type": "ephemeral"}))
    thought, call = history[1]["content"]
    history[1:2] = [assistant(thought), assistant(call)]
    history[3]["content"][0]["content"] = [text("ok")]
    talk(api, history)


@pytest.mark.parametrize(
    "edit",
    [
        lambda history: history[2]["content"][0].update(content="[cleared]"),
        lambda history: history[0].update(content="a summary"),
        lambda history: history.insert(0, user("before")),
        lambda history: history[1]["content"][1].update(input={"file_path": "/y"}),
        lambda history: history[1]["content"].reverse(),
    ],
    ids=["an old result shortened", "the first message rewritten", "a message before", "a call's input", "an order"],
)
def test_an_edit_of_earlier_history_is_refused_on_bound_models(serve: Serve, edit: Callable[[Any], None]) -> None:
    api = serve(Script([*LOOP, say("never")]))
    history = looped(api)
    edit(history)
    assert "The block is bound to a different conversation" in refused(api, history)
    assert api.violations[0].startswith("thinking.bound")


@pytest.mark.parametrize("fields", [{"system": "new"}, {"tools": []}], ids=["system", "tools"])
def test_system_and_tools_belong_to_the_conversation(serve: Serve, fields: dict[str, Any]) -> None:
    tools = [{"name": "Read", "input_schema": {"type": "object"}}]
    api = serve(Script([*LOOP, say("never")]))
    history = looped(api, system="old", tools=tools)
    assert "different conversation" in refused(api, history, **({"system": "old", "tools": tools} | fields))


def test_older_models_take_an_edited_history(serve: Serve) -> None:
    api = serve(Script([*LOOP, say("ok")]))
    history = looped(api, **LEGACY)
    history[2]["content"][0]["content"] = "[cleared]"
    talk(api, history, **LEGACY)
    api.check()


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "claude-sonnet-4-6"])
def test_altered_text_or_signature_is_refused(serve: Serve, model: str) -> None:
    api = serve(Script([*LOOP, say("never")]))
    history = looped(api, model=model)
    history[1]["content"][0]["thinking"] = "first "
    assert "messages.1.content.0: Invalid `signature` in `thinking` block" in refused(api, history, model=model)


def test_a_redacted_block_must_come_back_whole(serve: Serve) -> None:
    api = serve(Script([reply(redacted("x"), says("a")), say("b"), say("never")]))
    history = talk(api, [*talk(api, [user("hi")]), user("go")])
    history[1]["content"][0]["data"] = "AAAA"
    assert "Invalid `data` in `redacted_thinking` block" in refused(api, [*history, user("on")])


def test_thinking_may_not_be_left_out_of_an_open_tool_loop(serve: Serve) -> None:
    api = serve(Script([LOOP[0], say("never")]))
    history = talk(api, [user("hi")])
    called = history[1]["content"][1]["id"]
    history[1]["content"].pop(0)
    assert "cannot be modified" in refused(api, [*history, user(result(called))])
    assert api.violations[0].startswith("thinking.modified")


def test_thinking_may_be_left_out_of_a_loop_whose_history_was_rewritten(serve: Serve) -> None:
    api = serve(Script([LOOP[0], say("ok")]))
    history = talk(api, [user("hi")])
    called = history[1]["content"][1]["id"]
    history[1]["content"].pop(0)
    talk(api, [user("a summary of it all"), *history[1:], user(result(called))])
    api.check()


def test_all_thinking_of_ended_turns_may_be_stripped_but_not_put_back(serve: Serve) -> None:
    api = serve(Script([think("a", "b"), think("c", "d"), say("never")]))
    first = talk(api, [user("hi")])
    stripped = [first[0], assistant(first[1]["content"][1])]
    second = talk(api, [*stripped, user("go")])
    api.check()
    assert "different conversation" in refused(api, [first[0], first[1], *second[2:], user("and")])


def test_thinking_of_the_latest_turn_may_not_move(serve: Serve) -> None:
    api = serve(Script([*LOOP, say("never")]))
    history = looped(api)
    history[3]["content"].insert(0, history[1]["content"].pop(0))
    assert "messages.3.content: `thinking` or `redacted_thinking` blocks in the latest" in refused(api, history)


def test_half_of_the_latest_turns_thinking_is_refused(serve: Serve) -> None:
    api = serve(Script([reply(thinking("a"), thinking("b"), says("c")), say("never")]))
    history = talk(api, [user("hi")], **LEGACY)
    history[1]["content"].pop(1)
    assert "cannot be modified" in refused(api, [*history, user("go")], **LEGACY)


def test_drop_block_removes_what_fails_and_reports_it(serve: Serve) -> None:
    api = serve(Script([*LOOP, say("ok"), say("ok")]))
    history = looped(api)
    history[0] = user("rewritten")
    status, answer = post(api.url, ask(*history, **DROP), headers=BINDING)
    assert status == 200
    assert answer["input_transformations"] == [
        {"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "prefix_binding_mismatch"},
        {"type": "thinking_dropped", "path": "messages.3.content.0", "reason": "prefix_binding_mismatch"},
    ]
    status, answer = post(api.url, ask(user("hi"), **ADAPTIVE), headers=BINDING)
    assert answer["input_transformations"] == []
    api.check()


def test_thinking_of_another_model_is_dropped(serve: Serve) -> None:
    api = serve(Script([think("a", "b"), say("ok")]))
    history = talk(api, [user("hi")])
    body = ask(*history, user("go"), model="claude-opus-5-5")
    status, answer = post(api.url, body, headers=BINDING)
    assert (status, answer["input_transformations"][0]["reason"]) == (200, "model_binding_mismatch")


def test_signatures_outlive_the_server(serve: Serve) -> None:
    history = looped(serve(Script(LOOP)))
    talk(serve(Script([say("ok")])), history)


def test_older_models_do_not_count_thinking_of_earlier_turns(serve: Serve) -> None:
    old = {"model": "claude-haiku-4-5", "max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 2000}}
    api = serve(Script([think("x" * 3300, "b"), say("c"), think("x" * 3300, "b"), say("c")]))
    talk(api, [*talk(api, [user("hi")], **old), user("go")], **old)
    assert api.requests[1].usage["input_tokens"] < 100
    talk(api, [*talk(api, [user("hi")]), user("go")])
    assert api.requests[3].usage["input_tokens"] > 1000


def test_a_paused_turn_is_sent_back_unchanged(serve: Serve) -> None:
    api = serve(Script([reply(thinking("a"), says("wait"), stop_reason="pause_turn"), say("done")]))
    history = talk(api, [user("hi")])
    changed = [history[0], assistant(history[1]["content"][0], text("wait?"))]
    assert "does not support assistant message prefill" in refused(api, changed)
    talk(api, history)
    assert len(api.violations) == 1
