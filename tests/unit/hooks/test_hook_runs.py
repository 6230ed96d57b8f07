"""Hooks as real processes: stdin, environment, order, time, and what a person sees of each run."""

import asyncio
import sys
from pathlib import Path

import psutil
import pytest

from agent.protocol.events import HookStarted
from agent.protocol.hooks import HookOutcome
from tests.support.patience import PATIENCE, until

from .conftest import Session, wait_for_text


async def test_stdin_is_one_json_line_and_ends(session: Session) -> None:
    session.command("PreToolUse", "cat > h.json; wc -l < h.json > lines")
    await session.fire("PreToolUse", "Bash", tool_name="Bash", tool_input={"command": "ls \udc80 é"}, tool_use_id="t1")
    assert session.written("h.json") == {
        "session_id": "s-1",
        "transcript_path": "/t.jsonl",
        "cwd": str(session.folder),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls ? é"},
        "tool_use_id": "t1",
    }
    assert (session.folder / "lines").read_text().strip() == "1"


@pytest.mark.parametrize("event", ["PreCompact", "PostCompact", "SessionStart", "SessionEnd", "Notification"])
async def test_events_that_do_not_know_the_mode(session: Session, event: str) -> None:
    session.command(event, "cat > h.json")
    await session.fire(event, "auto", trigger="auto", custom_instructions="")
    written = session.written("h.json")
    assert "permission_mode" not in written
    assert (written["hook_event_name"], written["trigger"], written["custom_instructions"]) == (event, "auto", "")


async def test_a_hook_that_reads_nothing_does_not_deadlock(session: Session) -> None:
    session.command("PostToolUse", "exit 0")
    await session.fire("PostToolUse", "Write", tool_input={"content": "x" * 2_000_000})
    assert session.finished[0].outcome == "ok"


async def test_the_environment(session: Session) -> None:
    session.command(
        "Stop", 'echo "$CLAUDE_PROJECT_DIR|$CLAUDE_CODE_SESSION_ID|$CLAUDECODE|$ANTHROPIC_API_KEY|$PWD" > e'
    )
    await session.fire("Stop")
    folder = session.folder
    assert (folder / "e").read_text().strip() == f"{folder}|s-1|1||{folder}"


async def test_exec_form_has_no_shell(session: Session) -> None:
    script = session.folder / "h k.sh"
    script.write_text('#!/bin/sh\nprintf "%s|" "$@" > args\n')
    script.chmod(0o755)
    session.command("Stop", "${CLAUDE_PROJECT_DIR}/h k.sh", args=["a b", "$HOME", "${CLAUDE_PROJECT_DIR}"])
    await session.fire("Stop")
    assert (session.folder / "args").read_text() == f"a b|$HOME|{session.folder}|"


async def test_no_profile_makes_noise(session: Session, tmp_path: Path) -> None:
    for name in (".bashrc", ".profile", ".zshrc", ".bash_profile", "env"):
        (tmp_path / name).write_text("echo NOISE\n")
    session.env |= {"BASH_ENV": str(tmp_path / "env"), "ENV": str(tmp_path / "env")}
    script = session.folder / "h.sh"
    script.write_text('#!/bin/bash\necho \'{"decision": "block", "reason": "R1"}\'\n')
    script.chmod(0o755)
    for fields in ({}, {"shell": "bash"}):
        session.command("Stop", "./h.sh", **fields)
        assert await session.fire("Stop") == HookOutcome(blocked=True, reason="R1")


async def test_what_does_not_match_does_not_run(session: Session) -> None:
    session.command("PreToolUse", "touch ran", matcher="Edit|Write")
    assert await session.fire("PreToolUse", "Bash") == HookOutcome()
    assert await session.fire("PostToolUse", "Edit") == HookOutcome()
    assert not (session.folder / "ran").exists()
    assert session.events == []


async def test_the_same_handler_runs_once(session: Session) -> None:
    handler = {"type": "command", "command": "echo x >> ran"}
    group = {"hooks": [handler, handler]}
    session.configure({"Stop": [group, {"matcher": "*", "hooks": [handler, {**handler, "timeout": 9}]}]})
    await session.fire("Stop")
    assert (session.folder / "ran").read_text() == "x\nx\n"  # once for each distinct handler


async def test_hooks_run_side_by_side_and_merge_in_order(session: Session) -> None:
    # each waits for the other's file: one after the other they would both run out of time
    session.command(
        "SessionStart",
        "touch a; until [ -e b ]; do sleep 0.02; done; echo first",
        "touch b; until [ -e a ]; do sleep 0.02; done; echo second",
        timeout=PATIENCE,
    )
    assert (await session.fire("SessionStart", "startup")).context == ("first", "second")


async def test_every_run_is_visible(session: Session) -> None:
    session.command(
        "PreCompact", "echo keep the API", "echo no >&2; exit 2", "echo odd >&2; exit 9", statusMessage="Saving"
    )
    outcome = await session.fire("PreCompact", "manual")
    assert outcome.blocked
    assert outcome.reason == "no"
    assert outcome.instructions == ("keep the API",)
    started = [event for event in session.events if isinstance(event, HookStarted)]
    assert [(event.command, event.status) for event in started[:1]] == [("echo keep the API", "Saving")]
    ends = {event.command: (event.outcome, event.exit_code, event.text) for event in session.finished}
    assert ends["echo keep the API"] == ("ok", 0, "keep the API")
    assert ends["echo no >&2; exit 2"] == ("blocked", 2, "no")
    assert ends["echo odd >&2; exit 9"] == ("failed", 9, "Failed with non-blocking status code: odd")
    assert {event.id for event in started} == {event.id for event in session.finished}


@pytest.mark.parametrize("fields", [{}, {"args": []}])
async def test_a_missing_program_is_loud_and_blocks_nothing(session: Session, fields: dict[str, object]) -> None:
    session.command("PreToolUse", "./no-such-guard.sh", **fields)
    assert await session.fire("PreToolUse", "Bash") == HookOutcome()
    assert session.finished[0].outcome == "failed"
    assert "not found" in session.finished[0].text


async def test_an_unquoted_path_with_a_blank_is_loud(session: Session) -> None:
    (session.folder / "h.sh").write_text("exit 2")
    session.command("PreToolUse", "$CLAUDE_PROJECT_DIR/h.sh")
    assert not (await session.fire("PreToolUse", "Bash")).blocked
    assert session.finished[0].outcome == "failed"
    assert session.finished[0].exit_code == 127


async def test_a_missing_python_script_does_not_block(session: Session) -> None:
    session.command("PreToolUse", f"{sys.executable} missing.py")
    assert not (await session.fire("PreToolUse", "Bash")).blocked
    assert session.finished[0].outcome == "failed"
    assert "missing.py" in session.finished[0].text


async def test_an_unknown_shell_and_a_broken_matcher_are_told(session: Session) -> None:
    session.command("Stop", "x", shell="powershell")
    await session.fire("Stop")
    assert "powershell" in session.finished[0].text
    session.events.clear()
    session.command("PreToolUse", "x", matcher="(")
    for _ in range(3):
        assert await session.fire("PreToolUse", "Bash") == HookOutcome()
    assert [event.outcome for event in session.finished] == ["failed"]


async def test_time_runs_out_although_a_grandchild_holds_the_output(session: Session) -> None:
    session.command("PreToolUse", "echo ok; sleep 3600 & sleep 3600", timeout=0.3)
    async with asyncio.timeout(PATIENCE):  # far less than the sleeps
        assert await session.fire("PreToolUse", "Read") == HookOutcome()
    assert session.finished[0].outcome == "timeout"


async def test_cancelling_ends_the_hook(session: Session) -> None:
    session.command("PreToolUse", "echo $$ > pid; sleep 3600")
    task = asyncio.create_task(session.fire("PreToolUse", "Read"))
    await asyncio.to_thread(wait_for_text, session.folder / "pid")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    pid = int((session.folder / "pid").read_text())
    await until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


async def test_background_hooks_have_no_say_and_end_with_the_session(session: Session) -> None:
    session.command("PreToolUse", "echo x > began; sleep 60; exit 2", **{"async": True})
    assert await session.fire("PreToolUse", "Bash") == HookOutcome()
    assert session.finished[0].text == "runs in the background"
    await asyncio.to_thread(wait_for_text, session.folder / "began")
    assert session.hooks is not None
    await session.hooks.close()


async def test_disabled_hooks_do_not_run(session: Session) -> None:
    session.configure({"Stop": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}, disabled=True)
    assert await session.fire("Stop") == HookOutcome()
    assert not (session.folder / "ran").exists()


async def test_long_output_goes_to_a_file(session: Session) -> None:
    session.command("SessionStart", "head -c 20000 /dev/zero | tr '\\0' x")
    (context,) = (await session.fire("SessionStart", "startup")).context
    assert len(context) < 3_000
    saved = Path(context.rsplit(" in ", 1)[1].rstrip("]"))
    assert saved.read_text() == "x" * 20_000
    assert saved.stat().st_mode & 0o777 == 0o600


async def test_keys_are_masked_in_what_a_hook_says(session: Session) -> None:
    (session.folder / "leak").write_text("key: sk-ant-secret-1")
    session.command("SessionStart", "cat leak")
    (context,) = (await session.fire("SessionStart", "startup")).context
    assert "sk-ant-secret-1" not in context


@pytest.mark.parametrize(
    ("condition", "subject", "tool_input", "ran"),
    [
        ("Bash(git *)", "Bash", {"command": "git push"}, True),
        ("Bash(git *)", "Bash", {"command": "A=1 git push"}, True),
        ("Bash(git *)", "Bash", {"command": "echo $(git push)"}, True),
        ("Bash(git *)", "Bash", {"command": "ls"}, False),
        ("Edit(*.py)", "Edit", {"file_path": "/anywhere"}, False),
        ("Edit(*.py)", "Write", {"file_path": "src/a.py"}, True),
        ("Read", "Bash", {"command": "ls"}, False),
        ("broken(", "Bash", {"command": "ls"}, True),
    ],
)
async def test_conditions(
    session: Session, condition: str, subject: str, tool_input: dict[str, str], ran: bool
) -> None:
    session.command("PreToolUse", "touch ran", **{"if": condition})
    await session.fire("PreToolUse", subject, tool_input=tool_input)
    assert (session.folder / "ran").exists() is ran


async def test_a_condition_on_an_event_without_a_tool_never_holds(session: Session) -> None:
    session.command("Stop", "touch ran", **{"if": "Bash"})
    await session.fire("Stop")
    assert not (session.folder / "ran").exists()


async def test_a_vanished_folder_does_not_stop_hooks(session: Session, tmp_path: Path) -> None:
    session.command("SessionEnd", f"touch '{tmp_path}/ran'", timeout=PATIENCE)
    session.folder.rmdir()
    await session.fire("SessionEnd", "other")
    assert (tmp_path / "ran").exists()
