"""What exit codes and output mean, event by event (reference 1.6 to 1.8 as a table)."""

import json

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agent.hooks.outcome import BLOCKING, HookReport, interpret, merge
from agent.hooks.output import SPECIFIC_EVENTS
from agent.process.runner import Finished
from agent.protocol.hooks import HookEvent, HookOutcome


def end(
    event: HookEvent | str, stdout: object = "", *, code: int | None = 0, stderr: str = "", timed_out: bool = False
) -> HookReport:
    text = stdout if isinstance(stdout, str) else json.dumps(stdout)
    return interpret(HookEvent(event), Finished(code, text, stderr, timed_out, False, 1))


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("SessionStart", HookReport("ok", "", HookOutcome(context=("said",)))),
        ("UserPromptSubmit", HookReport("ok", "", HookOutcome(context=("said",)))),
        ("PreCompact", HookReport("ok", "said", HookOutcome(instructions=("said",)))),
        ("PostCompact", HookReport("ok", "said", HookOutcome(shown=("said",)))),
        *[
            (event, HookReport("ok"))
            for event in (
                "PreToolUse",
                "PostToolUse",
                "PostToolUseFailure",
                "PermissionRequest",
                "Stop",
                "SessionEnd",
                "Notification",
            )
        ],
    ],
)
def test_plain_output_on_success(event: str, expected: HookReport) -> None:
    assert end(event, " said \n", stderr="for the log") == expected


@pytest.mark.parametrize("event", list(HookEvent))
def test_exit_code_2(event: HookEvent) -> None:
    report = end(event, "ignored", code=2, stderr="not now\n")
    if event in BLOCKING:
        assert (report.status, report.text, report.outcome.blocked, report.outcome.reason) == (
            "blocked",
            "not now",
            True,
            "not now",
        )
    else:
        assert (report.status, report.outcome) == ("failed", HookOutcome())
        assert "not now" in report.text
    assert report.outcome.permission == ("deny" if event is HookEvent.PRE_TOOL_USE else None)
    assert not report.outcome.instructions
    assert not report.outcome.context


@pytest.mark.parametrize("code", [1, 127, -9, 255])
@pytest.mark.parametrize("event", list(HookEvent))
def test_other_exit_codes_never_block(event: HookEvent, code: int) -> None:
    report = end(event, "out", code=code, stderr="\nfirst line\nsecond")
    assert report == HookReport("failed", "Failed with non-blocking status code: first line")


def test_a_silent_failure_names_its_code() -> None:
    assert end("Stop", code=3).text == "Failed with non-blocking status code: exit code 3, nothing on stderr"


@pytest.mark.parametrize(
    "stderr",
    [
        "python3: can't open file '/x/guard.py': [Errno 2] No such file or directory",
        "/usr/bin/python3.11: can't open file 'x.py': [Errno 2] No such file or directory",
        "sh: 0: cannot open /x/guard.sh: No such file",
        "sh: 1: Syntax error: Unterminated quoted string",
        "sh: -c: line 1: syntax error near unexpected token `)'",
    ],
)
def test_an_interpreters_own_exit_code_2_is_no_verdict(stderr: str) -> None:
    report = end("PreToolUse", code=2, stderr=stderr)
    assert report.status == "failed"
    assert not report.outcome.blocked
    assert stderr in report.text


@pytest.mark.parametrize("event", list(HookEvent))
def test_running_out_of_time_decides_nothing(event: HookEvent) -> None:
    report = end(event, {"decision": "block", "reason": "x"}, code=None, timed_out=True)
    assert (report.status, report.outcome) == ("timeout", HookOutcome())


@pytest.mark.parametrize("code", [0, 1, 2, 127])
@pytest.mark.parametrize("event", ["UserPromptSubmit", "PostToolUse", "Stop", "PreCompact"])
def test_a_json_block_counts_on_every_exit_code(event: str, code: int) -> None:
    report = end(event, {"decision": "block", "reason": "R1"}, code=code, stderr="E1")
    assert (report.status, report.outcome.blocked, report.outcome.reason) == ("blocked", True, "R1")


def test_exit_code_2_beats_what_the_json_allows() -> None:
    allow = {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "permissionDecisionReason": "fine",
        }
    }
    report = end("PreToolUse", allow, code=2, stderr="no")
    assert (report.outcome.permission, report.outcome.reason) == ("deny", "no")
    assert end("PreCompact", '{"decision": 7}', code=2, stderr="no").outcome.blocked


@pytest.mark.parametrize(
    ("decision", "permission", "blocked"),
    [("allow", "allow", False), ("deny", "deny", True), ("ask", "ask", False), ("defer", "ask", False)],
)
def test_tool_decisions(decision: str, permission: str, blocked: bool) -> None:
    specific = {
        "permissionDecision": decision,
        "permissionDecisionReason": "why",
        "updatedInput": {"a": 1},
        "additionalContext": "ctx",
    }
    outcome = end("PreToolUse", {"hookSpecificOutput": {"hookEventName": "PreToolUse", **specific}}).outcome
    assert (outcome.permission, outcome.blocked, outcome.reason, outcome.context) == (
        permission,
        blocked,
        "why",
        ("ctx",),
    )
    assert outcome.updated_input == (None if blocked else {"a": 1})


@pytest.mark.parametrize(("decision", "permission"), [("approve", "allow"), ("block", "deny")])
def test_the_older_tool_decisions(decision: str, permission: str) -> None:
    outcome = end("PreToolUse", {"decision": decision, "reason": "old"}).outcome
    assert (outcome.permission, outcome.reason, outcome.blocked) == (permission, "old", permission == "deny")


def test_an_answer_in_the_persons_place() -> None:
    def answer(**decision: object) -> HookOutcome:
        return end(
            "PermissionRequest", {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}
        ).outcome

    assert answer(behavior="allow", updatedInput={"x": 1}) == HookOutcome(permission="allow", updated_input={"x": 1})
    assert answer(behavior="deny", message="no") == HookOutcome(permission="deny", reason="no")
    assert answer(behavior="deny", message="no", interrupt=True).stop


@pytest.mark.parametrize(
    "event", ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"]
)
def test_additional_context(event: str) -> None:
    outcome = end(event, {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "ctx"}}).outcome
    assert outcome == HookOutcome(context=("ctx",))


def test_stop_feedback_keeps_the_run_going() -> None:
    report = end("Stop", {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "check the tests"}})
    assert (report.status, report.outcome.blocked, report.outcome.reason) == ("ok", True, "check the tests")


def test_continue_false_stops_and_system_messages_are_shown() -> None:
    report = end(
        "PostToolUse", {"continue": False, "stopReason": "enough", "systemMessage": "look", "suppressOutput": True}
    )
    assert report.outcome == HookOutcome(shown=("look",), stop=True, stop_reason="enough")
    assert report.text == "look\nenough"


@pytest.mark.parametrize(
    "event", ["PreCompact", "PostCompact", "SessionEnd", "InstructionsLoaded", "Notification", "StopFailure"]
)
def test_where_universal_fields_have_no_effect(event: str) -> None:
    assert end(event, {"continue": False, "stopReason": "x", "systemMessage": "y"}) == HookReport("ok")


@pytest.mark.parametrize("event", list(HookEvent))
def test_specific_output_must_belong_to_the_event(event: HookEvent) -> None:
    right = end(event, {"hookSpecificOutput": {"hookEventName": event.value}})
    assert right.status == ("ok" if event in SPECIFIC_EVENTS else "failed")
    for wrong in ({"hookEventName": "Elsewhere"}, {}, {"hookEventName": 3}):
        report = end(event, {"hookSpecificOutput": wrong, "decision": "block"})
        assert report.status == "failed"
        assert report.text.startswith("Hook JSON output validation failed")
        assert report.outcome == HookOutcome()


def test_compaction_goes_on_after_specific_output_that_does_not_exist() -> None:
    report = end("PreCompact", {"hookSpecificOutput": {"hookEventName": "PreCompact", "additionalContext": "x"}})
    assert report.status == "failed"
    assert "PreCompact" in report.text
    assert not report.outcome.blocked
    assert not report.outcome.instructions


def test_json_is_never_taken_for_instructions() -> None:
    assert end("PreCompact", {"systemMessage": "saved"}).outcome == HookOutcome()


@pytest.mark.parametrize("text", ["{not json", "{} trailing", "{" * 5000, '{"a": 1e999}', "[1]", '"x"'])
def test_what_is_no_json_object_is_plain_text(text: str) -> None:
    assert end("SessionStart", text).outcome == HookOutcome(context=(text,))


def test_merge_precedence() -> None:
    allow = HookOutcome(permission="allow", reason="a", updated_input={"x": 1}, context=("1",))
    ask = HookOutcome(permission="ask", reason="b", context=("2",))
    deny = HookOutcome(permission="deny", blocked=True, reason="c")
    quiet = HookOutcome()
    assert merge([]) == HookOutcome()
    assert merge([quiet, quiet]) == HookOutcome()
    assert merge([allow, quiet]) == allow
    both = merge([allow, ask])
    assert (both.permission, both.reason, both.context) == ("ask", "b", ("1", "2"))
    every = merge([allow, deny, ask, deny])
    assert (every.permission, every.blocked, every.reason) == ("deny", True, "c")
    assert merge([quiet, HookOutcome(stop=True, stop_reason="s")]).stop


JSON = st.recursive(
    st.sampled_from([None, True, 0, "", "block", "allow", "PreToolUse", "PreCompact", 1.5]),
    lambda inner: (
        st.dictionaries(
            st.sampled_from(
                ["continue", "decision", "reason", "systemMessage", "hookSpecificOutput", "hookEventName", "behavior"]
            )
            | st.sampled_from(["permissionDecision", "additionalContext", "updatedInput", "odd"]),
            inner,
            max_size=4,
        )
        | st.lists(inner, max_size=2)
    ),
    max_leaves=8,
)


@given(
    st.sampled_from(list(HookEvent)),
    JSON.map(json.dumps) | st.text(max_size=30),
    st.sampled_from([0, 1, 2, None]),
    st.text(max_size=10),
)
@hypothesis_settings(max_examples=300, deadline=None)
def test_no_output_upsets_us_and_only_blocking_events_block(
    event: HookEvent, stdout: str, code: int | None, stderr: str
) -> None:
    report = end(event, stdout, code=code, stderr=stderr)
    assert report.status in ("ok", "blocked", "failed")
    assert not (report.outcome.blocked and event not in BLOCKING)
    assert not (report.status == "failed" and report.outcome != HookOutcome())
    assert merge([report.outcome]).blocked == report.outcome.blocked
