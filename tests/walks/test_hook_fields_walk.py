"""Every event once, in whole sessions: where it fires and exactly which fields a script finds on its stdin."""

import json
import shlex

import pytest

from agent.protocol.asks import Answer
from agent.protocol.hooks import HookEvent
from agent.rehearsal.script import call, fail, say, summary
from tests.support.patience import until

AT_THE_END = {
    "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS": "300000"
}  # the usual second and a half is not for slow machines
COMMON = {"session_id", "transcript_path", "cwd", "hook_event_name", "context"}
PROMPTED = {*COMMON, "prompt_id"}
TOOL = {*PROMPTED, "permission_mode", "tool_name", "tool_input"}
FIELDS = {
    "SessionStart": {*COMMON, "source", "model"},
    "InstructionsLoaded": {*PROMPTED, "file_path", "memory_type", "load_reason"},
    "UserPromptSubmit": {*PROMPTED, "permission_mode", "prompt"},
    "PreToolUse": {*TOOL, "tool_use_id"},
    "PermissionRequest": {*TOOL, "permission_suggestions"},
    "Notification": {*PROMPTED, "message", "title", "notification_type"},
    "PostToolUse": {*TOOL, "tool_use_id", "tool_response", "duration_ms"},
    "PostToolUseFailure": {*TOOL, "tool_use_id", "error", "is_interrupt", "duration_ms"},
    "Stop": {
        *PROMPTED,
        "permission_mode",
        "stop_hook_active",
        "last_assistant_message",
        "background_tasks",
        "session_crons",
    },
    "StopFailure": {*PROMPTED, "error", "error_details", "last_assistant_message"},
    "PreCompact": {*PROMPTED, "trigger", "custom_instructions"},
    "PostCompact": {*PROMPTED, "trigger", "compact_summary"},
    "SessionEnd": {*PROMPTED, "reason"},
}
VALUES = {
    "SessionStart": {"source": "startup"},
    "InstructionsLoaded": {"memory_type": "Project", "load_reason": "session_start"},
    "UserPromptSubmit": {"prompt": "do it", "permission_mode": "default"},
    "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "touch made"}},
    "PermissionRequest": {"tool_name": "Bash", "tool_input": {"command": "touch made"}},
    "Notification": {"notification_type": "permission_prompt"},
    "PostToolUse": {"tool_name": "Bash"},
    "PostToolUseFailure": {"tool_name": "Bash", "is_interrupt": False},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "done", "background_tasks": [], "session_crons": []},
    "StopFailure": {"error": "authentication_failed", "last_assistant_message": ""},
    "PreCompact": {"trigger": "manual", "custom_instructions": "keep it"},
    "PostCompact": {"trigger": "manual", "compact_summary": "S-1"},
    "SessionEnd": {"reason": "prompt_input_exit"},
}


@pytest.fixture
async def told(make_walk, project, clean_environment):
    """What the hooks of every event were told in one session, in order."""
    log = clean_environment / "log.jsonl"
    handler = [{"hooks": [{"type": "command", "command": f"cat >> {shlex.quote(str(log))}"}]}]
    (clean_environment / ".claude").mkdir()
    settings = {"hooks": {event.value: handler for event in HookEvent}}
    (clean_environment / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    (project / "CLAUDE.md").write_text("Rules.", encoding="utf-8")
    walk = await make_walk(
        call("Bash", command="touch made"),
        call("Bash", command="false"),
        say("done"),
        fail(401),
        summary("S-1"),
    )
    await walk.open(env=AT_THE_END)
    await walk.say("do it")
    await walk.say("fail")
    for event in ("InstructionsLoaded", "Notification", "StopFailure"):  # nobody waits for these
        await until(lambda event=event: f'"{event}"' in log.read_text())
    await walk.compact("/compact keep it")
    await walk.session.close()
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


async def test_each_event_fires_with_exactly_its_fields(told):
    first = {}
    for each in told:
        first.setdefault(each["hook_event_name"], each)
    assert set(first) == {event.value for event in HookEvent}
    for event, fields in FIELDS.items():
        assert set(first[event]) == fields, event
        assert {key: first[event][key] for key in VALUES[event]} == VALUES[event], event
    assert len({each["session_id"] for each in told}) == 1
    assert len({each["prompt_id"] for each in told if each.get("hook_event_name") == "PreToolUse"}) == 1


async def test_the_order_of_a_prompt_and_of_a_compaction(told):
    names = [each["hook_event_name"] for each in told if each["hook_event_name"] not in ("Notification",)]
    aside = [name for name in names if name != "InstructionsLoaded"]  # nobody waits for these
    assert aside == [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PreToolUse",
        "PermissionRequest",
        "PostToolUseFailure",
        "Stop",
        "UserPromptSubmit",
        "StopFailure",
        "PreCompact",
        "SessionStart",
        "PostCompact",
        "SessionEnd",
    ]


async def test_how_a_session_ends_and_begins_is_told(make_walk, project, clean_environment):
    log = clean_environment / "log"
    command = {"type": "command", "command": "python3 -c 'import json,sys; t=json.load(sys.stdin); "}
    command["command"] += f'print(t.get("source") or t["reason"], file=open("{log}", "a"))\''
    handler = [{"hooks": [command]}]
    (clean_environment / ".claude").mkdir()
    settings = {"hooks": {"SessionStart": handler, "SessionEnd": handler}}
    (clean_environment / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    walk = await make_walk(say("one"), say("two"))
    await walk.open(env=AT_THE_END)
    await walk.say("first")
    session = walk.session.id
    await walk.say("/clear")
    await walk.say(f"/resume {session}")
    await walk.open(env=AT_THE_END, resume=session, fork=True)
    await walk.session.start()
    await walk.open(env=AT_THE_END, continue_=True, interactive=False)
    await walk.session.start()
    await walk.session.close()
    assert log.read_text().split() == [
        "startup",
        "clear",
        "clear",
        "resume",
        "resume",
        "prompt_input_exit",
        "fork",
        "prompt_input_exit",
        "resume",
        "other",
    ]


async def test_matchers_choose_by_the_word_of_each_event(make_walk, project, clean_environment):
    log = clean_environment / "log"

    def only(matcher, name):
        return {"matcher": matcher, "hooks": [{"type": "command", "command": f"echo {name} >> {log}"}]}

    hooks = {
        "SessionStart": [only("startup", "start"), only("resume|clear", "never")],
        "PreToolUse": [
            only("Read", "never"),
            only("Edit|Bash", "bash"),
            only("^B.*h$", "regex"),
            only("bash", "never"),
        ],
        "PermissionRequest": [only("Bash", "asked")],
        "Notification": [only("permission_prompt", "waiting"), only("idle_prompt", "never")],
        "PostToolUse": [only("*", "post"), {"hooks": [{"type": "command", "if": "Bash(git:*)", "command": "exit 2"}]}],
        "UserPromptSubmit": [only("ignored here", "prompt")],
        "PreCompact": [only("manual", "manual"), only("auto", "never")],
        "SessionEnd": [only("clear", "never"), only("prompt_input_exit", "end")],
    }
    (clean_environment / ".claude").mkdir()
    (clean_environment / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    walk = await make_walk(call("Bash", command="touch made"), say("done"), summary("S"))
    await walk.open(env=AT_THE_END)
    await walk.say("do it", Answer("once"))
    await until(lambda: "waiting" in log.read_text())
    await walk.compact()
    await walk.session.close()
    assert sorted(log.read_text().split()) == sorted(
        ["start", "prompt", "bash", "regex", "asked", "waiting", "post", "manual", "end"]
    )
