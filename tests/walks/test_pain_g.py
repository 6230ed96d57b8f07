"""Hooks that did not run, hung, lied or never stopped (users' reports by number), as real processes in whole sessions."""

import asyncio
import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from agent.api import Flags
from agent.protocol.events import CompactFailed, CompactFinished, Failed, HookFinished, Notice, ToolFinished
from agent.rehearsal.script import call, reply, say, summary, too_long, tool
from tests.support.naps import nap, napping
from tests.support.patience import PATIENCE, until
from tests.walks.conftest import finished, of, used

TRUSTED = Flags(trust=True)


def hooks(project, **commands):
    """Project settings with the handlers of each event: a command, or a list of them, each a text or a dictionary."""
    folder = project / ".claude"
    folder.mkdir(exist_ok=True)
    entries = {}
    for event, said in commands.items():
        handlers = [item if isinstance(item, dict) else {"command": item} for item in _list(said)]
        entries[event] = [{"hooks": [{"type": "command", **handler} for handler in handlers]}]
    (folder / "settings.json").write_text(json.dumps({"hooks": entries}), encoding="utf-8")


def _list(said):
    return said if isinstance(said, list) else [said]


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def ran(events, event):
    return [each for each in of(events, HookFinished) if each.event == event]


# ---- 55: every path, once, in order

NOTE = """import json, sys
told = json.load(sys.stdin)
told["boundaries"] = sum('"compact_boundary"' in line for line in open(told["transcript_path"]))
print(json.dumps(told), file=open(sys.argv[1], "a"))
"""


def compact_log(project):
    """Hooks that note what they are told and how many boundaries are on record at that moment."""
    log, script = project.parent / "log.jsonl", project.parent / "note.py"
    script.write_text(NOTE, encoding="utf-8")
    command = shlex.join([sys.executable, "-SE", str(script), str(log)])
    hooks(project, PreCompact=command, PostCompact=command)
    return log


def assert_once(log, trigger, before=0):
    """One Pre before the new history is stored, one Post after it."""
    told = lines(log)
    assert [(each["hook_event_name"], each["trigger"]) for each in told] == [
        ("PreCompact", trigger),
        ("PostCompact", trigger),
    ]
    assert [each["boundaries"] for each in told] == [before, before + 1]


async def test_55_manual(make_walk, project):
    log = compact_log(project)
    walk = await make_walk(say("one"), summary("S-55"))
    await walk.open(flags=TRUSTED)
    await walk.say("first")
    await walk.compact()
    assert_once(log, "manual")
    assert lines(log)[1]["compact_summary"] == "S-55"


async def test_55_by_threshold(make_walk, project):
    log = compact_log(project)
    walk = await make_walk(say("one", usage=used(14_000)), summary("S"), say("two"), window=20_000)
    await walk.open(flags=TRUSTED)
    await walk.say("first")
    await walk.say("second")
    assert_once(log, "auto")


async def test_55_in_the_middle_of_a_tool_loop(make_walk, project):
    log = compact_log(project)
    step = reply(tool("Read", {"file_path": str(project / "hello.py")}), usage=used(14_000))
    walk = await make_walk(step, summary("S"), say("two"), window=20_000)
    await walk.open(flags=TRUSTED)
    await walk.say("first")
    assert_once(log, "auto")


async def test_55_after_the_api_has_refused(make_walk, project):
    log = compact_log(project)
    step = reply(tool("Read", {"file_path": str(project / "hello.py")}))
    walk = await make_walk(step, too_long(210_000, 200_000), summary("S"), say("two"))
    await walk.open(flags=TRUSTED)
    await walk.say("first")
    assert_once(log, "auto")


async def test_55_on_resume_and_headless(make_walk, project):
    log = compact_log(project)
    walk = await make_walk(say("one", usage=used(14_000)), summary("S"), say("two"), window=20_000)
    await walk.open(flags=TRUSTED)
    await walk.say("first")
    session = walk.session.id
    await walk.open(flags=TRUSTED, resume=session, interactive=False)
    await walk.say("second")
    assert_once(log, "auto")


async def test_55_a_compaction_that_is_none_runs_no_hook(make_walk, project):
    log = compact_log(project)
    walk = await make_walk(say("one"), *[summary(" ")] * 4)
    await walk.open(flags=TRUSTED)
    assert finished(await walk.say("/compact")).error == "Not enough messages to compact."
    assert not log.exists()
    await walk.say("first")
    assert finished(await walk.say("/compact")).is_error
    assert [each["hook_event_name"] for each in lines(log)] == ["PreCompact"]


async def test_55_undo_and_redo_run_none(make_walk, project):
    log = compact_log(project)
    walk = await make_walk(say("one"), summary("S"))
    await walk.open(flags=TRUSTED)
    await walk.say("first")
    await walk.compact()
    await walk.say("/compact undo")
    await walk.say("/compact redo")
    assert_once(log, "manual")


async def test_55_the_pre_hook_has_ended_before_the_request_for_a_summary(make_walk, project):
    mark = project.parent / "asked"
    hooks(project, PreCompact=f"sleep 0.3; touch {shlex.quote(str(mark))}")
    walk = await make_walk(say("one"), summary("S"))
    await walk.open(flags=TRUSTED)
    await walk.say("first")
    task = asyncio.create_task(walk.say("/compact"))
    await until(lambda: len(walk.bodies()) >= 2)
    assert mark.exists()
    await task


# ---- 56: a veto at the limit


async def test_56_a_veto_is_told_once_and_a_person_can_override_it(make_walk, project):
    hooks(project, PreCompact="echo not now >&2; exit 2")
    step = reply(tool("Read", {"file_path": str(project / "hello.py")}), usage=used(14_000))
    walk = await make_walk(
        step.when(compaction=False, repeat=3),
        say("done", usage=used(16_000)),
        summary("S").when(compaction=True),
        say("on"),
        window=20_000,
    )
    await walk.open(flags=TRUSTED)
    events = await walk.say("work on")
    assert finished(events).text == "done"  # under the limit it goes on uncompacted
    assert [each.command for each in ran(events, "PreCompact")] == ["echo not now >&2; exit 2"]
    assert [each.kind for each in of(events, CompactFailed)] == ["vetoed"]
    held = await walk.say("more")  # at the limit the prompt is held, and what to do is said
    assert len(ran(held, "PreCompact")) == 1
    failure = of(held, Failed)[0].failure
    assert failure.what.startswith("Context limit reached")
    assert "/compact goes ahead" in failure.do
    events = await walk.say("/compact")
    assert len(of(events, CompactFinished)) == 1
    assert any("goes ahead all the same" in notice.text for notice in of(events, Notice))
    assert finished(await walk.say("more")).text == "on"


# ---- 57: timeouts that were not kept


@pytest.mark.parametrize(
    ("command", "seconds", "outcome"),
    [
        ("NAP & echo ok", PATIENCE, "ok"),  # a grandchild holds stdout
        ("NAP; echo late", 0.5, "timeout"),
        ("trap '' TERM; while :; do NAP; done", 0.5, "timeout"),
        ("(trap '' TERM; exec NAP) & wait", 0.5, "timeout"),
    ],
)
async def test_57_time_is_kept_and_nothing_is_left(make_walk, project, command, seconds, outcome):
    hooks(project, PreToolUse={"command": command.replace("NAP", nap(57)), "timeout": seconds})
    walk = await make_walk(call("Read", file_path=str(project / "hello.py")), say("done"))
    await walk.open(flags=TRUSTED)
    async with asyncio.timeout(PATIENCE):  # nobody waits for the sleep
        events = await walk.say("read it")
    assert [each.outcome for each in ran(events, "PreToolUse")] == [outcome]
    assert not of(events, ToolFinished)[0].output.is_error
    await until(lambda: not napping(nap(57)))


async def test_57_an_interrupt_ends_a_hook_at_once(make_walk, project):
    hooks(project, PreToolUse=nap(58))
    walk = await make_walk(call("Read", file_path=str(project / "hello.py")), say("again"))
    await walk.open(flags=TRUSTED)
    task = asyncio.create_task(walk.say("read it"))
    await until(lambda: napping(nap(58)))
    walk.session.interrupt()
    assert finished(await task).error == "Interrupted."
    await until(lambda: not napping(nap(58)))
    assert finished(await walk.say("go on")).text == "again"


# ---- 58: stdin


async def test_58_stdin_ends_and_a_deaf_hook_blocks_nothing(make_walk, project):
    hooks(project, UserPromptSubmit=["cat > h.json", "exit 0"], PreToolUse=["cat > t.json", "exit 0"])
    prompt = "more than a pipe can hold " * 20_000
    walk = await make_walk(call("Write", file_path=str(project / "big.txt"), content="word " * 20_000), say("done"))
    await walk.open(flags=TRUSTED)
    events = await walk.say(prompt)
    assert [each.outcome for each in of(events, HookFinished)] == ["ok"] * 4
    assert json.loads((project / "h.json").read_text())["prompt"] == prompt
    assert json.loads((project / "t.json").read_text())["tool_input"]["content"] == "word " * 20_000


# ---- 59: noise of profiles


async def test_59_no_profile_speaks_before_a_hook(make_walk, project, clean_environment):
    for name in (".bashrc", ".zshrc", ".profile", ".bash_profile", ".zshenv", "noise.sh"):
        (clean_environment / name).write_text("echo NOISE\n", encoding="utf-8")
    block = """echo '{"decision":"block","reason":"R1"}'"""
    hooks(project, UserPromptSubmit=[block, {"command": block, "shell": "bash"}])
    walk = await make_walk()
    noise = str(clean_environment / "noise.sh")
    await walk.open(flags=TRUSTED, env={"BASH_ENV": noise, "ENV": noise})
    events = await walk.say("hello")
    assert "R1" in finished(events).error
    assert "NOISE" not in repr(events)
    assert walk.bodies() == []


# ---- 60: hooks that cannot start


@pytest.fixture
def project(tmp_path):
    """A repository whose name has a blank."""
    folder = tmp_path / "My Proj"
    (folder / ".git").mkdir(parents=True)
    (folder / "hello.py").write_text("def greet():\n    return 'hello'\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "$CCAGENT_PROJECT_DIR/.claude/guard.sh",
        "$CLAUDE_PROJECT_DIR/.claude/guard.sh",
        "/no/such/guard",
        "python3 missing.py",
        "bash missing.sh",
        ".claude/plain.txt",
        "no-such-interpreter .claude/plain.txt",
    ],
)
async def test_60_a_guard_that_cannot_start_is_loud_once_and_blocks_nothing(make_walk, project, command):
    hooks(project, PreToolUse=command)
    (project / ".claude" / "guard.sh").write_text("#!/bin/sh\nexit 2\n", encoding="utf-8")
    (project / ".claude" / "plain.txt").write_text("words", encoding="utf-8")
    read = call("Read", file_path=str(project / "hello.py"))
    walk = await make_walk(read, read, say("done"))
    await walk.open(flags=TRUSTED)
    events = await walk.say("read it twice")
    first, second = ran(events, "PreToolUse")
    assert (first.outcome, second.outcome) == ("failed", "failed")
    assert first.exit_code in (2, 126, 127)
    assert first.text.startswith("Failed with non-blocking status code: ")
    assert "never ran, so it decides nothing" in first.text
    assert second.text == ""
    assert not any(event.output.is_error for event in of(events, ToolFinished))
    table = "\n".join(notice.text for notice in of(await walk.say("/hooks"), Notice))
    assert f"failed (exit {first.exit_code})" in table
    assert "2 runs" in table


async def test_60_a_missing_interpreter_in_exec_form_is_told(make_walk, project):
    hooks(project, PreToolUse={"command": "/no/such/interpreter", "args": ["guard.py"]})
    walk = await make_walk(call("Read", file_path=str(project / "hello.py")), say("done"))
    await walk.open(flags=TRUSTED)
    events = await walk.say("read it")
    assert "could not start" in ran(events, "PreToolUse")[0].text
    assert finished(events).text == "done"


async def test_60_quotes_that_do_not_close_are_no_verdict(make_walk, project):
    hooks(project, PreToolUse="echo 'open; exit 2")
    walk = await make_walk(call("Read", file_path=str(project / "hello.py")), say("done"))
    await walk.open(flags=TRUSTED)
    events = await walk.say("read it")
    assert ran(events, "PreToolUse")[0].outcome == "failed"
    assert finished(events).text == "done"


# ---- 61: a Stop hook that always blocks


async def test_61_stop_hooks_are_heard_a_few_times_and_told_that_they_are(make_walk, project):
    log = project.parent / "stops.jsonl"
    hooks(project, Stop=f"cat >> {shlex.quote(str(log))}; echo never enough >&2; exit 2")
    walk = await make_walk(say("I am done").when(repeat=0))
    await walk.open(flags=TRUSTED)
    events = await walk.say("do it")
    told = lines(log)
    assert [each["stop_hook_active"] for each in told] == [False] + [True] * 8
    assert told[0]["last_assistant_message"] == "I am done"
    assert len(walk.bodies()) == 9
    assert any("Stop hooks asked to go on 8 times" in notice.text for notice in of(events, Notice))
    assert not finished(events).is_error


async def test_61_the_cap_can_be_lowered_and_esc_ends_it(make_walk, project):
    hooks(project, Stop="sleep 0.2; exit 2")
    walk = await make_walk(say("I am done").when(repeat=0))
    await walk.open(flags=TRUSTED, env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "2"})
    await walk.say("do it")
    assert len(walk.bodies()) == 3
    await walk.open(flags=TRUSTED, env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0"})
    task = asyncio.create_task(walk.say("do it"))
    await until(lambda: len(walk.bodies()) >= 6)
    walk.session.interrupt()
    assert finished(await task).error == "Interrupted."


# ---- and what all of them share


async def test_the_person_who_waits_is_notified_once(make_walk, project, clean_environment):
    log = project.parent / "told.jsonl"
    hooks(project, Notification=f"cat >> {shlex.quote(str(log))}")
    (clean_environment / ".claude").mkdir()
    (clean_environment / ".claude" / "settings.json").write_text('{"messageIdleNotifThresholdMs": 100}')
    walk = await make_walk(say("one"))
    await walk.open(flags=TRUSTED)
    await walk.say("first")
    await until(lambda: lines(log))
    await asyncio.sleep(0.3)
    assert [each["notification_type"] for each in lines(log)] == ["idle_prompt"]


async def test_tool_events_tell_whole_paths_and_the_effort(make_walk, project):
    log = project.parent / "tools.jsonl"
    command = f"cat >> {shlex.quote(str(log))}; echo $CLAUDE_EFFORT >> {shlex.quote(str(log))}.effort"
    hooks(project, PreToolUse=command, PostToolUse=command)
    walk = await make_walk(call("Read", file_path="hello.py"), say("done"))
    await walk.open(flags=Flags(trust=True, effort="low"))
    await walk.say("read it")
    assert [each["tool_input"]["file_path"] for each in lines(log)] == [str(project / "hello.py")] * 2
    assert [each["effort"] for each in lines(log)] == [{"level": "low"}] * 2
    assert Path(f"{log}.effort").read_text() == "low\nlow\n"
    assert os.path.isabs(lines(log)[0]["transcript_path"])
