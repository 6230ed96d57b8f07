"""Each rule of the conscience is tripped by one illegal request, and tells itself as the API does."""

import contextlib
import http.client
from collections.abc import Callable
from typing import Any

import pytest

from agent.rehearsal.rules.catalogue import RULES
from agent.rehearsal.script import Script, say
from agent.rehearsal.server import RehearsalThread
from tests.support.patience import PATIENCE
from tests.unit.rehearsal.raw import HEADERS, READ, ask, assistant, post, result, text, use, user

Serve = Callable[..., RehearsalThread]

OPUS = {"model": "claude-opus-5-5"}
OLD = {"model": "claude-haiku-4-5"}
MARK = {"type": "ephemeral"}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "x"}}
TALK = (user("hi"), assistant("hello"), user("more"))
CALLED = (user("hi"), assistant(use("t1")))

ILLEGAL: list[tuple[str, Any, str]] = [
    ("body.json", b'{"model": ', "not valid JSON"),
    ("body.json", b"[1]", "should be an object"),
    ("body.json", b"[" * 100_000, "nested too deeply"),
    ("body.surrogate", b'{"model": "m", "messages": [{"role": "user", "content": "\\ud83d"}]}', "surrogate"),
    ("body.field", {"model": "claude-sonnet-5-5", "max_tokens": 5}, "messages: Field required"),
    ("body.field", {"messages": [], "max_tokens": 5}, "model: Field required"),
    ("body.field", {"model": "claude-sonnet-5-5", "messages": [user("hi")]}, "max_tokens: Field required"),
    ("body.field", ask(max_tokens=0, stream=True), "greater than or equal to 1"),
    ("body.field", ask(stream="yes"), "stream: Input should be a valid boolean"),
    ("body.field", ask({"role": "user"}), "messages.0.content"),
    ("body.unknown", ask(colour="red"), "colour: Extra inputs are not permitted"),
    ("body.unknown", ask(context_management={"edits": []}), "context_management: Extra inputs are not permitted"),
    ("body.sampling", ask(temperature=0), "temperature: Extra inputs are not permitted"),
    ("body.stop", ask(stop_sequences="x"), "valid list"),
    ("body.field", ask(system=5), "system: Input"),
    ("body.field", ask(tools={}), "tools: Input"),
    ("body.stop", ask(stop_sequences=[" "]), "non-whitespace"),
    ("max_tokens.cap", ask(max_tokens=128_001), "max_tokens: 128001 > 128000, which is the maximum allowed number"),
    ("media.count", ask(user(*[IMAGE] * 101), **OLD), "Too much media: 0 document pages + 101 images > 100"),
    ("messages.none", ask() | {"messages": []}, "messages: at least one message is required"),
    ("messages.role", ask({"role": "tool", "content": "hi"}), 'Unexpected role "tool"'),
    ("messages.role", ask(user("hi"), {"role": "system", "content": "x"}), "top-level `system` parameter"),
    ("messages.first", ask(assistant("hi"), user("hi")), 'first message must use the "user" role'),
    ("messages.field", ask(user("hi") | {"id": "m"}), "messages.0.id: Extra inputs are not permitted"),
    (
        "image.source",
        ask(user({"type": "image", "source": {"type": "base64", "media_type": "image/bmp"}})),
        "media_type",
    ),
    ("image.source", ask(*CALLED, user(result("t1", [{"type": "image", "source": {"type": "x"}}]))), "Input tag"),
    ("tool_use.name", ask(user("hi"), assistant(use("t1", name="a b")), user(result("t1"))), "{1,200}"),
    ("tool_result.error", ask(*CALLED, user(result("t1", "", is_error=True))), "content cannot be empty if `is_error`"),
    ("tool.field", ask(tools=[READ | {"parameters": {}}]), "tools.0.custom.parameters: Extra inputs"),
    ("tool.field", ask(tools=[READ | {"description": None}]), "description: Input should be a valid string"),
    ("body.metadata", ask(metadata={"session": "x"}), "metadata.session: Extra inputs are not permitted"),
    ("body.metadata", ask(metadata={"user_id": "x" * 257}), "at most 256 characters"),
    ("messages.empty", ask(user("hi"), {"role": "assistant", "content": []}, user("x")), "must have non-empty content"),
    ("messages.prefill", ask(user("hi"), assistant("So")), "does not support assistant message prefill"),
    ("messages.trailing", ask(user("hi"), assistant("So "), **OLD), "cannot end with trailing whitespace"),
    ("messages.system", ask({"role": "system", "content": "x"}, user("hi"), **OPUS), "cannot be the first message"),
    (
        "messages.system",
        ask(*CALLED, {"role": "system", "content": "x"}, user(result("t1")), **OPUS),
        "cannot stand between `tool_use` and `tool_result`",
    ),
    ("block.type", ask(user({"type": "video"})), "does not match any of the expected tags"),
    ("block.type", ask(user(use("t1"))), "`tool_use` blocks are not allowed in `user` messages"),
    ("block.type", ask(*CALLED, user(result("t1", [use("t2")]))), "tool_result.content.0"),
    ("block.field", ask(user({"type": "text"})), "messages.0.content.0.text.text: Field required"),
    ("block.field", ask(user(text("hi", parsed=None))), "text.parsed: Extra inputs are not permitted"),
    ("block.field", ask(*CALLED, user(result("t1", is_error=None))), "is_error: Input should be a valid boolean"),
    ("text.blank", ask(user("")), "text content blocks must be non-empty"),
    ("text.blank", ask(user(" \n")), "must contain non-whitespace text"),
    ("text.blank", ask(system=[text("")]), "text content blocks must be non-empty"),
    ("text.blank", ask(*CALLED, user(result("t1", [text("")]))), "text content blocks must be non-empty"),
    ("tool_use.unanswered", ask(*CALLED, user("go on")), "messages.1: `tool_use` ids were found without"),
    ("tool_use.unanswered", ask(user("hi"), assistant(use("t1")), user("a"), assistant("b"), user("c")), "t1"),
    ("tool_use.unanswered", ask(user("hi"), assistant(use("t1"), use("t2")), user(result("t1"))), "after: t2"),
    ("tool_use.unanswered", ask(*CALLED), "without `tool_result` blocks immediately after: t1"),
    ("tool_use.twice", ask(user("hi"), assistant(use("t1"), use("t1")), user(result("t1"))), "ids must be unique"),
    ("tool_use.id", ask(user("hi"), assistant(use("t 1")), user(result("t 1"))), "should match pattern"),
    ("tool_use.input", ask(user("hi"), assistant(use("t1", input="{}")), user(result("t1"))), "valid dictionary"),
    ("tool_result.stray", ask(user(result("t9"))), "unexpected `tool_use_id` found in `tool_result` blocks: t9"),
    ("tool_result.stray", ask(*CALLED, user(result("t1")), assistant("ok"), user(result("t1"))), "unexpected"),
    ("tool_result.twice", ask(*CALLED, user(result("t1"), result("t1"))), "must have a single result"),
    ("tool_result.first", ask(*CALLED, user(text("well"), result("t1"))), "must come before any other content"),
    ("tool.name", ask(tools=[READ | {"name": "Read me"}]), "tools.0.custom.name: String should match pattern"),
    ("tool.schema", ask(tools=[READ | {"input_schema": {"type": "object", "properties": []}}]), "schema is invalid"),
    ("tool_choice.shape", ask(tools=[READ], tool_choice={"type": "some"}), "of type auto"),
    ("tool.twice", ask(tools=[READ, READ]), "Tool names must be unique"),
    ("tool.schema", ask(tools=[{"name": "Read"}]), "tools.0.custom.input_schema: Field required"),
    ("tool.schema", ask(tools=[READ | {"input_schema": {"type": "array"}}]), "Input should be 'object'"),
    ("tool_choice.shape", ask(tool_choice={"type": "auto"}), "only be specified while providing tools"),
    ("tool_choice.shape", ask(tools=[READ], tool_choice={"type": "tool", "name": "X"}), "'X' not found"),
    ("tool_choice.forced", ask(tools=[READ], tool_choice={"type": "any"}, **OPUS), "does not support forced"),
    (
        "tool_choice.forced",
        ask(tools=[READ], tool_choice={"type": "any"}, thinking={"type": "adaptive"}),
        "Thinking may not be enabled when tool_choice forces tool use",
    ),
    ("thinking.config", ask(thinking={"type": "disabled"}, **OPUS), "not supported for this model"),
    ("thinking.config", ask(thinking={"type": "adaptive", "budget_tokens": 2000}), "Extra inputs"),
    ("thinking.config", ask(thinking={"type": "adaptive", "block_binding": {}}), "Extra inputs"),
    ("thinking.config", ask(thinking={"type": "deep"}), "expected tags"),
    ("thinking.config", ask(thinking={"type": "adaptive", "display": "loud"}), "display"),
    ("thinking.budget", ask(thinking={"type": "enabled"}, **OLD), "budget_tokens: Field required"),
    ("thinking.budget", ask(thinking={"type": "enabled", "budget_tokens": 10}, **OLD), "or equal to 1024"),
    ("thinking.budget", ask(thinking={"type": "enabled", "budget_tokens": 1024}, **OLD), "must be greater than"),
    ("thinking.effort", ask(output_config={"effort": "huge"}), "output_config.effort"),
    (
        "thinking.expected",
        ask(*CALLED, user(result("t1")), max_tokens=4000, thinking={"type": "enabled", "budget_tokens": 2000}, **OLD),
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`",
    ),
    (
        "thinking.signature",
        ask(user("hi"), assistant({"type": "thinking", "thinking": "x", "signature": "eA=="}, text("b")), user("c")),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    ("cache.count", ask(user(*[text("a", cache_control=MARK)] * 5)), "A maximum of 4 blocks"),
    (
        "cache.place",
        ask(
            user("hi"),
            assistant({"type": "thinking", "thinking": "x", "signature": "y", "cache_control": MARK}, text("b")),
            user("c"),
        ),
        "thinking.cache_control: Extra inputs",
    ),
    ("cache.place", ask(user(text("", cache_control=MARK))), "cannot be set for empty text blocks"),
    (
        "cache.order",
        ask(user(text("a", cache_control=MARK), text("b", cache_control=MARK | {"ttl": "1h"}))),
        "must not come after",
    ),
    ("cache.automatic", ask(user(text("a", cache_control=MARK)), cache_control=MARK | {"ttl": "1h"}), "another ttl"),
    ("cache.shape", ask(user(text("a", cache_control={"type": "ephemeral", "ttl": "2h"}))), "ttl '5m' or '1h'"),
    ("cache.automatic", ask(user(*[text("a", cache_control=MARK)] * 4), cache_control=MARK), "already in use"),
]


@pytest.mark.parametrize(("rule", "body", "told"), ILLEGAL)
def test_an_illegal_request_is_refused_and_noted(serve: Serve, rule: str, body: object, told: str) -> None:
    api = serve()
    status, answer = post(api.url, body)
    assert (status, answer["type"], answer["error"]["type"]) == (400, "error", "invalid_request_error")
    assert told in answer["error"]["message"]
    assert answer["request_id"].startswith("req_")
    assert [note.split(":")[0] for note in api.violations] == ([rule] if RULES[rule].breach else [])
    assert api.requests[0].status == 400
    assert api.requests[0].refused == answer["error"]["message"]


SUMMARIZE = {"type": "summarize"}
ON_DEMAND = HEADERS | {"anthropic-beta": "compact-2026-09-04"}
EDITING = HEADERS | {"anthropic-beta": "context-management-2025-06-27,compact-2026-01-12"}
CLEAR_THINKING = {"type": "clear_thinking_20251015"}
CLEAR_TOOLS = {"type": "clear_tool_uses_20250919"}
BLOCK = {"type": "compaction", "content": "s", "signature": "x"}


def editing(*edits: object, **fields: object) -> dict[str, Any]:
    return ask(context_management={"edits": list(edits)}, **fields)


ILLEGAL_UNDER_BETA: list[tuple[str, dict[str, str], Any, str, str | None]] = [
    ("compaction.config", ON_DEMAND, ask(*TALK, compaction={"type": "other"}), "type 'summarize'", None),
    ("compaction.config", ON_DEMAND, ask(*TALK, compaction=SUMMARIZE | {"instructions": "x" * 16_385}), "16384", None),
    ("compaction.config", ON_DEMAND, ask(*TALK, compaction=SUMMARIZE, **OLD), "not supported for", None),
    ("compaction.config", ON_DEMAND, ask(*TALK, compaction=SUMMARIZE, stop_sequences=["x"]), "stop_sequences", None),
    ("compaction.config", ON_DEMAND, ask(*TALK, compaction=SUMMARIZE | {"instructions": 5}), "valid string", None),
    ("compaction.nothing", ON_DEMAND, ask(assistant({"type": "compaction", "content": None}), compaction=SUMMARIZE),
     "no `user` or `assistant` content", "compaction_nothing_to_summarize"),
    ("compaction.open", ON_DEMAND, ask(*CALLED, compaction=SUMMARIZE), "not finished", "compaction_incomplete_turn"),
    ("compaction.beta", HEADERS, ask(assistant(BLOCK), user("hi")), "beta header", None),
    ("compaction.several", ON_DEMAND, ask(assistant(BLOCK, BLOCK), user("hi")), "more than one",
     "compaction_block_ambiguous"),
    ("compaction.place", ON_DEMAND, ask(user("hi"), assistant(BLOCK), user("hi")), "must be the first",
     "compaction_block_misplaced"),
    ("compaction.altered", ON_DEMAND, ask(assistant(BLOCK), user("hi")), "does not verify",
     "compaction_signature_invalid"),
    ("edits.config", EDITING, ask(context_management={"edit": 1}), "list of edits", None),
    ("edits.config", EDITING, editing({"type": "forget"}), "Input tag 'forget'", None),
    ("edits.config", EDITING, editing(CLEAR_TOOLS | {"fast": True}), "Extra inputs", None),
    ("edits.config", EDITING, editing(CLEAR_TOOLS, CLEAR_TOOLS), "may be given once", None),
    ("edits.config", EDITING, editing(CLEAR_THINKING), "requires `thinking`", None),
    ("edits.config", EDITING, editing(CLEAR_TOOLS, CLEAR_THINKING, thinking={"type": "adaptive"}), "first edit", None),
    ("edits.config", EDITING, editing({"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 9}}),
     "at least 50000", None),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "headers", "body", "told", "code"), ILLEGAL_UNDER_BETA)
def test_an_illegal_use_of_a_beta_is_refused(
    serve: Serve,
    rule: str,
    headers: dict[str, str],
    body: object,
    told: str,
    code: str | None,
) -> None:
    api = serve()
    status, answer = post(api.url, body, headers=headers)
    assert status == 400
    assert told in answer["error"]["message"]
    assert answer["error"].get("details") == (None if code is None else {"error_code": code})
    assert [note.split(":")[0] for note in api.violations] == [rule]


LATER = {
    "compaction.kept",
    "key.missing",
    "version.missing",
    "model.unknown",
    "body.size",
    "messages.count",
    "prompt.window",
    "prompt.output",
    "thinking.modified",
    "thinking.bound",
    "script.expect",
    "script.exhausted",
}
"""Rules that a test of their own trips, below or in test_rehearsal_thinking."""


def test_every_rule_is_tripped_somewhere() -> None:
    assert {rule for rule, *_ in (*ILLEGAL, *ILLEGAL_UNDER_BETA)} | LATER == set(RULES)


def test_a_key_is_needed(serve: Serve) -> None:
    api = serve()
    headers = {name: value for name, value in HEADERS.items() if name != "x-api-key"}
    status, answer = post(api.url, ask(), headers=headers)
    assert (status, answer["error"]["type"]) == (401, "authentication_error")
    assert post(api.url, ask(), headers=headers | {"authorization": "Bearer t"})[0] == 200
    api.check()
    assert api.requests[1].headers["authorization"] == "***"


def test_the_models_are_shown_only_with_a_key(serve: Serve) -> None:
    connection = http.client.HTTPConnection(serve().url.removeprefix("http://"), timeout=PATIENCE)
    with contextlib.closing(connection):
        connection.request("GET", "/v1/models/claude-sonnet-5-5", headers={"anthropic-version": "2026-10-21"})
        assert connection.getresponse().status == 401


def test_a_version_is_needed(serve: Serve) -> None:
    api = serve()
    headers = {name: value for name, value in HEADERS.items() if name != "anthropic-version"}
    assert post(api.url, ask(), headers=headers)[1]["error"]["message"] == "anthropic-version: header is required"
    assert (
        "not a valid version"
        in post(api.url, ask(), headers=headers | {"anthropic-version": "new"})[1]["error"]["message"]
    )


def test_an_unknown_model_is_not_found(serve: Serve) -> None:
    status, answer = post(serve().url, ask(model="claude-nonesuch"))
    assert (status, answer["error"]) == (404, {"type": "not_found_error", "message": "model: claude-nonesuch"})


def test_a_body_beyond_32_megabytes_is_refused_after_it_was_read(serve: Serve) -> None:
    status, answer = post(serve().url, ask(user("x" * (32 * 1024 * 1024))))
    assert (status, answer["error"]["type"]) == (413, "request_too_large")


def test_more_than_100_000_messages_are_refused(serve: Serve) -> None:
    status, answer = post(serve().url, ask(*[user("a")] * 100_001))
    assert status == 400
    assert "100000 messages" in answer["error"]["message"]


def test_a_prompt_beyond_the_window_is_too_long(serve: Serve) -> None:
    api = serve(window=100)
    status, answer = post(api.url, ask(user("x" * 330)))
    assert (status, answer["error"]["message"]) == (400, "prompt is too long: 104 tokens > 100 maximum")
    api.check()


def test_old_models_refuse_input_plus_output_beyond_the_window(serve: Serve) -> None:
    api = serve(window=500)
    assert post(api.url, ask(model="claude-opus-4-1", max_tokens=495))[0] == 200
    status, answer = post(api.url, ask(model="claude-opus-4-1", max_tokens=496))
    assert status == 400
    assert answer["error"]["message"].startswith("input length and `max_tokens` exceed context limit: 5 + 496 > 500")
    assert post(api.url, ask(max_tokens=496))[0] == 200, "newer models accept it"


def test_a_script_that_ran_out_says_so(serve: Serve) -> None:
    api = serve(Script([say("one")]))
    assert post(api.url, ask())[0] == 200
    assert "no reply left for request 2: 'hi'" in post(api.url, ask())[1]["error"]["message"]
    with pytest.raises(AssertionError, match=r"script\.exhausted"):
        api.check()


def test_an_unmet_expectation_is_a_violation_and_the_reply_is_sent(serve: Serve) -> None:
    api = serve(Script([say("ok").expecting("FACT", lacks=("hi",), messages=2, tools=("Read",))]))
    assert post(api.url, ask())[0] == 200
    assert len(api.violations) == 4
    assert "expected to contain 'FACT'" in api.violations[0]


def test_lenient_mode_notes_and_answers(serve: Serve) -> None:
    api = serve(strict=False)
    assert post(api.url, ask(user(""), temperature=0))[0] == 200
    assert [note.split(":")[0] for note in api.violations] == ["body.sampling", "text.blank"]


def test_legal_requests_pass(serve: Serve) -> None:
    api = serve()
    legal = [
        ask(*TALK),
        ask(user("a"), user("b")),
        ask(*CALLED, user(result("t1", [text("x"), IMAGE]), text("and?")), tools=[READ], tool_choice={"type": "auto"}),
        ask(user("hi"), assistant(use("t1"), use("t2")), user(result("t2")), user(result("t1")), tools=[READ]),
        ask(user("hi"), assistant("So"), **OLD),
        ask(temperature=0, **OLD),
        ask(*TALK, {"role": "system", "content": "be brief"}, **OPUS),
        ask(thinking={"type": "adaptive", "display": "omitted"}, output_config={"effort": "low"}),
        ask(system=[text("s", cache_control=MARK | {"ttl": "1h"})], cache_control=MARK),
    ]
    for body in legal:
        headers = HEADERS | ({"anthropic-version": "2023-06-01"} if "temperature" in body else {})
        status, answer = post(api.url, body, headers=headers)
        assert status == 200, answer
    api.check()
