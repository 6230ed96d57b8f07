"""What `-p` prints: text, one JSON object, or JSON lines."""

import json
from pathlib import Path

import pytest

from agent.protocol.asks import Answer, Permission
from agent.protocol.blocks import Text, ToolResult, ToolUse, block_from_json
from agent.protocol.errors import MissingCredentials
from agent.protocol.events import (
    Asked,
    AssistantDone,
    CompactFailed,
    CompactFinished,
    CompactStarted,
    HookFinished,
    Notice,
    PromptFinished,
    RetryScheduled,
    TextDelta,
    ThinkingDelta,
    ToolResultsRecorded,
    TurnStarted,
)
from agent.protocol.messages import Message, Usage
from agent.protocol.results import CompactionRecord, PermissionDenial, Receipt, RunResult, Spent, Subtype
from tests.support.fake_session import FakeSession, Step, fail, printed, say
from tui.headless.run import Print, run_print

Capture = pytest.CaptureFixture[str]
SESSION = "11111111-2222-4333-8444-555555555555"


def run(session: FakeSession, **job: object) -> int:
    async def make() -> FakeSession:
        return session

    return run_print(make, Print(**{"prompt": "hello", "version": "1.2.3", **job}))


def lines(capture: Capture) -> list[dict[str, object]]:
    return [json.loads(line) for line in capture.readouterr().out.splitlines()]


def test_text_is_the_final_answer_and_nothing_else(capfd: Capture) -> None:
    session = FakeSession([TextDelta("he"), Notice("info", "resumed"), *say("hello\n\n")])
    assert run(session) == 0
    assert capfd.readouterr() == ("hello\n", "info: resumed\n")
    assert session.prompts == ["hello"]
    assert (session.started, session.closed) == (1, True)


def test_a_failure_is_one_line_on_stderr_and_exit_1(capfd: Capture) -> None:
    assert run(FakeSession(fail("The API refused.\nTwice."))) == 1
    assert capfd.readouterr() == ("", "ccagent: The API refused. Twice.\n")


def test_text_that_was_said_before_a_limit_is_kept(capfd: Capture) -> None:
    assert run(FakeSession(fail("Reached 3 turns.", Subtype.MAX_TURNS, text="so far"))) == 1
    assert capfd.readouterr() == ("so far\n", "ccagent: Reached 3 turns.\n")


def test_a_slash_command_is_run_and_its_output_is_the_text(capfd: Capture) -> None:
    session = FakeSession(printed("# Context Usage"))
    assert run(session, prompt=" /context all\n") == 0
    assert session.slashes == ["/context all"]
    assert capfd.readouterr() == ("# Context Usage\n", "")


def test_a_path_is_a_prompt(capfd: Capture) -> None:
    session = FakeSession(say("a file"))
    run(session, prompt="/etc/hosts what is it?")
    assert session.prompts == ["/etc/hosts what is it?"]


def test_slash_output_is_the_result_in_json(capfd: Capture) -> None:
    run(FakeSession(printed("auto-compact at 167,000")), prompt="/autocompact", output_format="json")
    assert lines(capfd)[0]["result"] == "auto-compact at 167,000"


def test_json_is_one_object_with_every_promised_field(capfd: Capture) -> None:
    result = RunResult(
        subtype=Subtype.SUCCESS,
        text="done",
        num_turns=2,
        duration_ms=1500,
        duration_api_ms=1200,
        cost=0.25,
        usage=Usage(input=10, output=5, cache_read=100, cache_creation=20),
        by_model={"m": Spent(2, Usage(input=10, output=5, cache_read=100, cache_creation=20), None)},
        stop_reason="end_turn",
        permission_denials=(PermissionDenial("Bash", "t1", {"command": "rm x"}),),
        compactions=(CompactionRecord("auto", 167_000, 20_000, "b1"),),
    )
    assert run(FakeSession([PromptFinished(result)]), output_format="json") == 0
    (record,) = lines(capfd)
    assert record.pop("uuid")
    assert record == {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "done",
        "session_id": SESSION,
        "num_turns": 2,
        "duration_ms": 1500,
        "duration_api_ms": 1200,
        "stop_reason": "end_turn",
        "terminal_reason": "completed",
        "total_cost_usd": 0.25,
        "usage": {
            "input_tokens": 10,
            "output_tokens": 5,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 20,
        },
        "modelUsage": {
            "m": {
                "inputTokens": 10,
                "outputTokens": 5,
                "cacheReadInputTokens": 100,
                "cacheCreationInputTokens": 20,
                "costUSD": None,
            }
        },
        "context": {"used": 50_000, "window": 200_000, "source": "table", "level": "ok", "percent": 29.9},
        "permission_denials": [{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "rm x"}}],
        "compactions": [{"trigger": "auto", "pre_tokens": 167_000, "post_tokens": 20_000, "id": "b1"}],
    }


def test_json_of_a_failure_has_its_subtype_and_errors(capfd: Capture) -> None:
    assert run(FakeSession(fail("Reached 3 turns.", Subtype.MAX_TURNS, "so far")), output_format="json") == 1
    captured = capfd.readouterr()
    record = json.loads(captured.out)
    assert (record["subtype"], record["is_error"], record["errors"]) == ("error_max_turns", True, ["Reached 3 turns."])
    assert record["result"] == "so far"
    assert captured.err == "ccagent: Reached 3 turns.\n"


@pytest.mark.parametrize("output_format", ["json", "stream-json"])
def test_a_session_that_cannot_be_opened_is_an_error_result(capfd: Capture, output_format: str) -> None:
    async def make() -> FakeSession:
        raise MissingCredentials("No credentials found.", do="Set ANTHROPIC_API_KEY or use --offline.")

    assert run_print(make, Print(prompt="hi", output_format=output_format)) == 1
    captured = capfd.readouterr()
    record = json.loads(captured.out)
    assert record["subtype"] == "error_during_execution"
    assert record["errors"] == ["No credentials found. Set ANTHROPIC_API_KEY or use --offline."]
    assert record["context"] == {"used": None, "window": None, "source": None, "level": "unknown", "percent": None}
    assert captured.err.startswith("ccagent: No credentials found.")


def test_a_run_that_breaks_off_is_an_error(capfd: Capture) -> None:
    assert run(FakeSession([TextDelta("he")]), output_format="json") == 1
    assert json.loads(capfd.readouterr().out)["terminal_reason"] == "error"


def test_a_blank_prompt_is_refused(capfd: Capture) -> None:
    session = FakeSession()
    assert run(session, prompt=" \n") == 1
    assert capfd.readouterr() == ("", "ccagent: no prompt: give one as an argument or on standard input.\n")
    assert not session.started


def test_questions_are_answered_no_at_once(capfd: Capture) -> None:
    ask = Asked("q1", Permission(tool="Bash", tool_use_id="t1", title="run ls", input={}))
    session = FakeSession([ask, *say("denied, then")])
    assert run(session) == 0
    assert session.answers == {"q1": Answer("deny")}


def test_hooks_and_background_notices_are_told_on_stderr(capfd: Capture) -> None:
    hook = HookFinished(id="h", event="Stop", command="x.sh", outcome="failed", exit_code=3, text="\x1b[31mno")
    session = FakeSession([hook, *say("ok")], background=[Notice("warning", "held back: a hook of this folder")])
    assert run(session) == 0
    captured = capfd.readouterr()
    assert sorted(captured.err.splitlines()) == [
        "hook: Stop (x.sh) failed, exit code 3: no",
        "warning: held back: a hook of this folder",
    ]


@pytest.mark.parametrize("output_format", ["text", "json", "stream-json"])
def test_a_pause_before_another_attempt_is_told_on_stderr(capfd: Capture, output_format: str) -> None:
    session = FakeSession([RetryScheduled(2, 10, 31.0, "The API is overloaded."), *say("ok")])
    assert run(session, output_format=output_format) == 0
    assert capfd.readouterr().err == "retry: The API is overloaded. Trying again in 31.0 s (2/10).\n"


TOOL_TURN: list[Step] = [
    TurnStarted(1),
    TextDelta("I "),
    TextDelta("look."),
    AssistantDone(
        uuid="a1",
        message=Message(
            "assistant",
            (
                block_from_json(b'{"type":"text","text":"I look.","citations":null}'),
                ToolUse(id="t1", name="Read", input={"file_path": "/x"}),
            ),
        ),
        message_id="msg_1",
        model="claude-sonnet-5-5",
        stop_reason="tool_use",
        usage=Usage(input=3, output=4),
    ),
    ToolResultsRecorded("u1", Message("user", (ToolResult(tool_use_id="t1", content="1\tx"),))),
]


def test_stream_json_is_one_event_a_line(capfd: Capture) -> None:
    receipt = Receipt(
        trigger="auto", boundary="b1", pre_tokens=9, post_tokens=3, summary="s", duration_ms=7, messages_summarized=4
    )
    compaction: list[Step] = [CompactStarted("auto", 9), CompactFinished(receipt), CompactFailed("auto", "too long")]
    session = FakeSession([*compaction, *TOOL_TURN, RetryScheduled(1, 10, 0.5, "overloaded"), *say("done")])
    assert run(session, output_format="stream-json") == 0
    records = lines(capfd)
    init, compacting, over, boundary, failed, assistant, user, retry, result = records
    assert init["subtype"] == "init"
    assert (init["tools"], init["permissionMode"], init["slash_commands"]) == (
        ["Read", "Bash"],
        "default",
        ["compact", "context"],
    )
    assert (compacting["subtype"], compacting["status"]) == ("status", "compacting")
    assert (over["status"], over["compact_result"]) == (None, "success")
    assert (boundary["subtype"], boundary["uuid"]) == ("compact_boundary", "b1")
    assert boundary["compact_metadata"] == {
        "trigger": "auto",
        "pre_tokens": 9,
        "post_tokens": 3,
        "duration_ms": 7,
        "messages_summarized": 4,
    }
    assert (failed["compact_result"], failed["compact_error"]) == ("failed", "too long")
    assert assistant["uuid"] == "a1"
    assert assistant["message"] == {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [
            {"type": "text", "text": "I look.", "citations": None},
            {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/x"}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 3,
            "output_tokens": 4,
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
        },
    }
    assert user["message"] == {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1\tx"}],
    }
    assert (retry["subtype"], retry["attempt"], retry["retry_delay_ms"]) == ("api_retry", 1, 500)
    assert (result["type"], result["result"]) == ("result", "done")
    assert {record["session_id"] for record in records} == {SESSION}


def test_partial_messages_frame_the_deltas(capfd: Capture) -> None:
    script: list[Step] = [
        ThinkingDelta("hm"),
        *TOOL_TURN,
        TextDelta("lost"),
        RetryScheduled(1, 10, 0.5, "x"),
        *say("done"),
    ]
    run(FakeSession(script), output_format="stream-json", partial=True)
    events = [record["event"] for record in lines(capfd) if record["type"] == "stream_event"]
    kinds = [(event["type"], event.get("index")) for event in events]
    assert kinds == [
        ("message_start", None),
        ("content_block_start", 0),
        ("content_block_delta", 0),
        ("content_block_stop", 0),
        ("content_block_start", 1),
        ("content_block_delta", 1),
        ("content_block_delta", 1),
        ("content_block_stop", 1),
        ("message_delta", None),
        ("message_stop", None),
        ("message_start", None),
        ("content_block_start", 0),
        ("content_block_delta", 0),
        ("content_block_stop", 0),
        ("message_stop", None),
    ]
    assert events[2]["delta"] == {"type": "thinking_delta", "thinking": "hm"}
    assert events[5]["delta"] == {"type": "text_delta", "text": "I "}
    assert events[8]["delta"] == {"stop_reason": "tool_use", "stop_sequence": None}


def test_without_the_flag_there_are_no_deltas(capfd: Capture) -> None:
    run(FakeSession([TextDelta("a"), *say("a")]), output_format="stream-json")
    assert [record["type"] for record in lines(capfd)] == ["system", "result"]


def test_text_of_a_message_keeps_its_own_bytes_in_a_pipe(capfd: Capture, tmp_path: Path) -> None:
    run(FakeSession(say("a\tb\x1b[31m" + Text(text="é").text)))
    assert capfd.readouterr().out == "a\tb\x1b[31mé\n"
