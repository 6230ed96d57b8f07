"""Scripts: order, matches, loops; TOML files with errors that name the place; storms by seed; sessions turned into scripts."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anthropic import APIError, AsyncAnthropic
from httpx2 import TransportError

from agent.rehearsal.recorded_session import script_of
from agent.rehearsal.replies import Redacted, Text, Thinking, ToolUse
from agent.rehearsal.script import Occasion, Script, call, drop, fail, say, summary, think, words
from agent.rehearsal.server import Rehearsal, RehearsalThread
from agent.rehearsal.storm import FAULTS, bare_storm, storm
from agent.rehearsal.toml_script import ScriptError, names, open_script, read_script
from tests.unit.rehearsal.raw import ask, assistant, post, result, use, user

Serve = Callable[..., RehearsalThread]


def occasion(last_user: str = "hi", *results: str, compaction: bool = False) -> Occasion:
    return Occasion(last_user, results, compaction, "claude-sonnet-5-5")


def said(script: Script, *occasions: Occasion) -> list[str | None]:
    """The first text of the reply to each occasion."""
    replies = [script.take(chance) for chance in occasions]
    return [block.text if reply and isinstance(block := reply.blocks[0], Text) else None for reply in replies]


def test_replies_are_played_in_order_and_then_there_are_none() -> None:
    assert said(Script([say("a"), say("b").times(2)]), *[occasion()] * 4) == ["a", "b", "b", None]


def test_a_loop_begins_again_but_does_not_revive_matched_replies() -> None:
    script = Script([say("once").when(last_user="x"), say("a"), say("b")], loop=True)
    assert said(script, *[occasion("x")] * 4) == ["once", "a", "b", "a"]


def test_everything_that_can_be_expected_is_looked_at(serve: Serve) -> None:
    wrong = say("a").expecting("X", lacks=("hi",), last_user="no", messages=2, max_tokens=9, tools=("T",), model="m")
    right = say("b").expecting(
        "hi", lacks=("X",), last_user="h", messages=1, max_tokens=1000, model="claude-sonnet-5-5"
    )
    api = serve(Script([wrong, right]))
    post(api.url, ask())
    assert len(api.violations) == 7
    post(api.url, ask())
    assert len(api.violations) == 7


def test_a_loop_without_ordered_replies_ends() -> None:
    assert said(Script([say("once").when(last_user="x")], loop=True), occasion(), occasion("x"), occasion("x")) == [
        None,
        "once",
        None,
    ]


def test_matched_replies_go_before_the_ordered_ones() -> None:
    script = Script(
        [
            say("a"),
            say("summary").when(compaction=True, repeat=0),
            say("result").when(tool_result="42"),
            say("model").when(model="claude-opus-5-5"),
        ]
    )
    chances = (occasion(compaction=True), occasion("", "the 42nd"), occasion(), occasion(compaction=True))
    assert said(script, *chances) == ["summary", "result", "a", "summary"]


def test_compaction_requests_are_recognised_by_their_words(serve: Serve) -> None:
    api = serve(Script([say("turn"), summary("the sum").when(compaction=True)]))
    first = post(api.url, ask(user("Write an <analysis>, then a <summary>.")))[1]
    assert "<summary>\nthe sum\n</summary>" in first["content"][0]["text"]
    assert post(api.url, ask())[1]["content"][0]["text"] == "turn"


def test_a_result_is_matched_on_the_last_message_only(serve: Serve) -> None:
    api = serve(Script([say("plain").times(0), say("seen").when(tool_result="needle")]))
    history = [user("hi"), assistant(use("t")), user(result("t", "a needle here"))]
    assert post(api.url, ask(*history))[1]["content"][0]["text"] == "seen"


WHOLE = """
about = "All of it."
loop = true
window = 9000

[[reply]]
think = "hm"
say = "hello {cwd}"
calls = [{ name = "Read", input = { file_path = "{cwd}/a", deep = [{ b = "{cwd}" }, 1] } }]
usage = { input_tokens = 7 }
weather = { delay = 0.01, gap = 0.02, chunk = 3 }
expect = { contains = ["x"], max_tokens = 5 }

[[reply]]
blocks = [{ type = "redacted_thinking" }, { type = "text", text = "b" }]
when = { last_user = "go" }
repeat = 0

[[reply]]
fail = { status = 529, headers = { "retry-after" = "5400" } }

[[reply]]
too_long = { used = 10, limit = 5 }

[[reply]]
html = { status = 504 }

[[reply]]
drop = { after_bytes = 9, rst = true }

[[reply]]
say = "late"
stall = { seconds = 0.1, pings = true, after_words = 1 }

[[reply]]
breaks = { after_words = 2 }
"""


def test_a_file_says_what_the_builders_say() -> None:
    script = read_script(WHOLE.encode(), "whole.toml")
    assert (script.loop, script.window, script.about) == (True, 9000, "All of it.")
    first, second, failed, long, page, dropped, stalled, broken = script.replies
    assert [type(block) for block in first.blocks] == [Thinking, Text, ToolUse]
    assert first.weather.chunk == 3
    assert first.expect is not None
    assert [type(block) for block in second.blocks] == [Redacted, Text]
    assert second.match is not None
    assert second.repeat == 0
    assert failed == fail(529, headers={"retry-after": "5400"})
    assert long.fault is not None
    assert long.fault.message == "prompt is too long: 10 tokens > 5 maximum"
    assert page.fault is not None
    assert dropped == drop(9, rst=True)
    assert [reply.weather.cut.how for reply in (stalled, broken) if reply.weather.cut] == ["stall", "error"]


def test_the_working_directory_is_filled_in(serve: Serve) -> None:
    api = serve(read_script(WHOLE.encode(), "whole.toml"))
    answer = post(api.url, ask(system="Working directory: /repo\n"))[1]
    assert answer["content"][1]["text"] == "hello /repo"
    assert answer["content"][2]["input"] == {"file_path": "/repo/a", "deep": [{"b": "/repo"}, 1]}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff", "bad.toml: not UTF-8"),
        (b"reply = [", "bad.toml: Invalid value (at end of document)"),
        (b"", "bad.toml: no [[reply]] in it"),
        (b"[[reply]]\n", "bad.toml: reply 1: is empty; it needs one of think"),
        (b"[[reply]]\nsay = 'a'\n[[reply]]\nsya = 'b'\n", "bad.toml: reply 2: Object contains unknown field `sya`"),
        (b"[[reply]]\nsay = 3\n", "bad.toml: reply 1, say: Expected `str | null`, got `int`"),
        (b"[[reply]]\ncalls = [{ input = {} }]\n", "bad.toml: reply 1, calls[0]: Object missing required field `name`"),
        (b"[[reply]]\nsay = 'a'\nhtml = { status = 500 }\n", "bad.toml: reply 1: says something and fails too"),
        (
            b"[[reply]]\nsay = 'a'\nstop_reason = 'tired'\n",
            "bad.toml: reply 1, stop_reason: Invalid enum value 'tired'",
        ),
        (b"window = 0\n", "bad.toml: window: Expected `int` >= 1"),
    ],
)
def test_a_bad_file_is_told_by_its_place(content: bytes, told: str) -> None:
    with pytest.raises(ScriptError) as error:
        read_script(content, "bad.toml")
    assert str(error.value).startswith(told)


def test_an_unknown_script_is_told_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match=r"cannot read the script nonesuch: No such file .* auto_compact, breaker"):
        open_script("nonesuch")
    with pytest.raises(ScriptError, match="Is a directory"):
        open_script(str(tmp_path))


def test_the_scripts_that_come_along_are_there_and_say_what_they_are() -> None:
    assert {"tour", "auto_compact", "too_long", "breaker", "thrash", "permissions", "interrupt", "long_answer"} == set(
        names()
    )
    for name in names():
        assert open_script(name).about.endswith(".")


TOOLS = [
    {"name": name, "input_schema": {"type": "object"}} for name in ("Read", "Write", "Bash", "Glob", "Grep", "Edit")
]


@pytest.mark.parametrize("name", ["tour", "permissions", "too_long", "breaker", "thrash", "auto_compact"])
def test_a_script_can_be_played_to_its_end_without_breaking_a_rule(name: str) -> None:
    script = open_script(name)
    with RehearsalThread(script, window=script.window) as api:
        history: list[Any] = [user("hi")]
        for _ in range(12):
            status, answer = post(api.url, ask(*history, tools=TOOLS, system="Working directory: /repo"))
            if status == 400 and ("no reply left" in str(answer) or "too long" in str(answer)):
                history = history[-1:] if history[-1]["content"] == "go" else [user("go")]
                continue
            assert status == 200, answer
            calls = [block for block in answer["content"] if block["type"] == "tool_use"]
            history.append(assistant(*answer["content"]))
            history.append(user(*[result(block["id"]) for block in calls]) if calls else user("go"))
        assert all("exhausted" in violation for violation in api.violations)


def test_a_storm_is_the_same_for_the_same_seed() -> None:
    replies = [say(f"r{number}") for number in range(10)]
    script = Script(replies, loop=True, window=9, fills=True)
    assert storm(script, 7).replies == storm(script, 7).replies
    assert storm(script, 7).replies != storm(script, 8).replies
    texts = [reply.blocks for reply in storm(script, 7).replies if reply.blocks in [each.blocks for each in replies]]
    assert texts == [reply.blocks for reply in replies]
    assert (storm(script, 7).loop, storm(script, 7).window, storm(script, 7).fills) == (True, 9, True)


async def test_every_fault_of_a_storm_can_be_survived_by_asking_again() -> None:
    script = Script([fault(random.Random(1)) for fault in FAULTS] + [say("through")])
    failures = 0
    async with Rehearsal(script) as api:
        client = AsyncAnthropic(base_url=api.url, api_key="x", max_retries=0)
        for _ in range(len(FAULTS) + 1):
            try:
                async with client.messages.stream(
                    model="claude-sonnet-5-5", max_tokens=100, messages=[{"role": "user", "content": "hi"}]
                ) as stream:
                    heard = await stream.get_final_text()
            except (APIError, TransportError, AssertionError):
                failures += 1
        await client.close()
        assert (heard, failures) == ("through", len(FAULTS))
        api.check()


def test_a_bare_storm_has_answers() -> None:
    assert bare_storm(1, 3).replies[-1].blocks == (Text("Answer 3 came through."),)


def test_words_are_about_as_many_as_asked() -> None:
    (block,) = words(1000).blocks
    assert isinstance(block, Text)
    assert 990 <= len(block.text.split()) <= 1030


def test_thinking_alone_and_calls_after_thinking() -> None:
    assert think("a").blocks == (Thinking("a"),)
    assert think("a", call("Read", file_path="/x")).blocks == (Thinking("a"), ToolUse("Read", {"file_path": "/x"}))


def test_a_recorded_session_becomes_a_script(tmp_path: Path) -> None:
    odd = 'quote " back\\slash \x7f\x00 Ünïcode\n'
    records = [
        {"type": "user", "message": {"role": "user", "content": "hi"}},
        {
            "type": "assistant",
            "message": {"id": "m1", "content": [{"type": "thinking", "thinking": "t", "signature": "s"}]},
        },
        {"type": "assistant", "message": {"id": "m1", "content": [{"type": "text", "text": odd}]}},
        {
            "type": "assistant",
            "message": {
                "id": "m1",
                "content": [
                    {
                        "type": "tool_use",
                        "id": "x",
                        "name": "Read",
                        "input": {"a b": [1, None, True], "c": None, "d": "\x1b"},
                    }
                ],
            },
        },
        {
            "type": "assistant",
            "isSidechain": True,
            "message": {"id": "m9", "content": [{"type": "text", "text": "side"}]},
        },
        {"type": "assistant", "message": {"id": "m2", "content": [{"type": "text", "text": "end"}]}},
    ]
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join([*map(json.dumps, records), "not json", ""]))
    script = read_script(script_of(path).encode(), "made")
    first, second = script.replies
    assert first.blocks == (Thinking("t"), Text(odd), ToolUse("Read", {"a b": [1, True], "d": "\x1b"}))
    assert second.blocks == (Text("end"),)
