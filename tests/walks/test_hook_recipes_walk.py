"""Hook scripts of the kinds that people have written, small and in our own words, as they would lie in `.claude/hooks`."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from agent.api import Flags
from agent.protocol.asks import Answer
from agent.protocol.events import CompactFinished, HookFinished, ToolFinished
from agent.rehearsal.script import call, say, summary
from agent.transcript.catalog import describe
from tests.walks.conftest import finished, of

BACKUP = """import json, pathlib, shutil, sys
told = json.load(sys.stdin)
folder = pathlib.Path(told["cwd"], ".claude", "backups")
folder.mkdir(parents=True, exist_ok=True)
shutil.copy(told["transcript_path"], folder / f"{told['trigger']}.jsonl")
"""
GUARD = """import json, re, sys
told = json.load(sys.stdin)
if told["tool_name"] == "Bash" and re.search(r"rm\\s+-[rf]+", told["tool_input"]["command"]):
    print("BLOCKED: that would delete too much", file=sys.stderr)
    sys.exit(2)
"""
POLITE_GUARD = """import json, sys
told = json.load(sys.stdin)
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
    "permissionDecisionReason": "tests are fine", "updatedInput": {"command": told["tool_input"]["command"] + " --quiet"}}}))
"""
CONTEXT = """import json, sys
told = json.load(sys.stdin)
print(json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart",
    "additionalContext": f"SPRINT-7 ({told['source']})"}, "suppressOutput": True}))
"""
FORMATTER = """import json, sys
told = json.load(sys.stdin)
path = told["tool_response"]["filePath"]
text = open(path).read()
open(path, "w").write(text.rstrip() + "\\n")
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "formatted"}}))
"""
LINTER = """import json, sys
print(json.dumps({"decision": "block", "reason": "LINT-1: a name is unused"}))
"""
TESTS_FIRST = """import json, sys
told = json.load(sys.stdin)
if not told["stop_hook_active"]:
    print(json.dumps({"decision": "block", "reason": "Run the tests first."}))
"""
MESSAGE = """import json
print(json.dumps({"continue": False, "systemMessage": "state saved", "stopReason": "no"}))
"""
WRONG = """import json
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreCompact", "additionalContext": "remember me"}}))
"""
EXPORTS = """import os
with open(os.environ["CLAUDE_ENV_FILE"], "a") as file:
    file.write("export SPRINT=seven\\n")
"""


@pytest.fixture
def script(project):
    """`script(event, text, matcher)` adds a Python hook to the project's settings."""
    hooks: dict[str, list[object]] = {}

    def add(event: str, text: str, matcher: str = "") -> None:
        folder = project / ".claude" / "hooks"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"hook_{sum(map(len, hooks.values()))}.py"
        path.write_text(text, encoding="utf-8")
        command = f'{shlex.quote(sys.executable)} -SE "$CLAUDE_PROJECT_DIR"/.claude/hooks/{path.name}'
        hooks.setdefault(event, []).append({"matcher": matcher, "hooks": [{"type": "command", "command": command}]})
        (project / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")

    return add


async def opened(make_walk, *replies):
    walk = await make_walk(*replies)
    await walk.open(flags=Flags(trust=True))
    return walk


async def test_a_backup_before_each_compaction(make_walk, project, script):
    script("PreCompact", BACKUP)
    walk = await opened(make_walk, say("one"), summary("S"))
    await walk.say("first FACT-1")
    await walk.compact()
    saved = (project / ".claude" / "backups" / "manual.jsonl").read_text()
    assert "FACT-1" in saved
    assert "compact_boundary" not in saved


async def test_a_guard_blocks_what_it_was_written_for_and_nothing_else(make_walk, project, script):
    script("PreToolUse", GUARD, "Bash")
    (project / "keep").mkdir()
    walk = await opened(make_walk, call("Bash", command="rm -rf keep"), call("Bash", command="ls"), say("done"))
    events = await walk.say("clean up")
    blocked, listed = [event.output for event in of(events, ToolFinished)]
    assert blocked.is_error and "BLOCKED: that would delete too much" in blocked.text
    assert "hello.py" in listed.text
    assert (project / "keep").is_dir()


async def test_a_hook_allows_and_changes_a_call(make_walk, script):
    script("PreToolUse", POLITE_GUARD, "Bash")
    walk = await opened(make_walk, call("Bash", command="touch made; echo"), say("done"))
    events = await walk.say("test")
    assert walk.asked == []
    assert of(events, ToolFinished)[0].output.text.strip() == "--quiet"


async def test_context_at_the_start_and_after_a_compaction(make_walk, script):
    script("SessionStart", CONTEXT)
    walk = await opened(make_walk, say("one"), summary("S"), say("two"))
    await walk.say("first")
    assert "SPRINT-7 (startup)" in walk.texts()[0]
    await walk.compact()
    await walk.say("second")
    assert "SPRINT-7 (compact)" in walk.texts()[-1]


async def test_a_formatter_changes_the_file_and_the_next_edit_still_works(make_walk, project, script):
    script("PostToolUse", FORMATTER, "Write|Edit")
    file = str(project / "new.py")
    walk = await opened(
        make_walk,
        call("Write", file_path=file, content="x = 1\n\n\n"),
        call("Edit", file_path=file, old_string="x = 1", new_string="x = 2"),
        say("done"),
    )
    events = await walk.say("write it")
    assert [event.output.is_error for event in of(events, ToolFinished)] == [False, False]
    assert (project / "new.py").read_text() == "x = 2\n"
    assert "formatted" in walk.texts()[1]


async def test_a_linter_tells_the_model_what_is_wrong(make_walk, project, script):
    script("PostToolUse", LINTER, "Write")
    walk = await opened(make_walk, call("Write", file_path=str(project / "new.py"), content="x"), say("done"))
    await walk.say("write it")
    assert "LINT-1: a name is unused" in walk.texts()[1]
    assert (project / "new.py").read_text() == "x"


async def test_stop_asks_for_one_thing_more(make_walk, script):
    script("Stop", TESTS_FIRST)
    walk = await opened(make_walk, say("done"), say("tested"))
    assert finished(await walk.say("do it")).text == "tested"
    assert "Run the tests first." in walk.texts()[1]


async def test_messages_of_compaction_hooks_neither_stop_nor_steer(make_walk, script):
    script("PreCompact", MESSAGE)
    script("PreCompact", WRONG)
    script("PostCompact", MESSAGE)
    walk = await opened(make_walk, say("one"), summary("S"), say("two"))
    await walk.say("first")
    events = await walk.say("/compact")
    assert len(of(events, CompactFinished)) == 1
    ended = {event.command.rpartition("/")[2]: event for event in of(events, HookFinished)}
    assert ended["hook_1.py"].outcome == "failed"
    assert "hookSpecificOutput" in ended["hook_1.py"].text
    assert "remember me" not in walk.texts()[-1]
    assert finished(await walk.say("go on")).text == "two"


async def test_what_a_start_hook_exports_is_there_for_bash(make_walk, script):
    script("SessionStart", EXPORTS)
    walk = await opened(make_walk, call("Bash", command="echo [$SPRINT]"), say("done"))
    events = await walk.say("show it")
    assert of(events, ToolFinished)[0].output.text.strip() == "[seven]"


async def test_the_person_is_asked_about_what_a_hook_has_made_of_a_call(make_walk, project, script):
    script("PreToolUse", POLITE_GUARD.replace('"allow"', '"ask"').replace(" --quiet", "; touch more"), "Bash")
    walk = await opened(make_walk, call("Bash", command="touch made"), say("done"))
    await walk.say("do it", Answer("deny"))
    assert walk.asked[0].input == {"command": "touch made; touch more"}
    assert "touch more" in walk.asked[0].title
    assert not (project / "more").exists()


async def test_no_hook_speaks_for_an_ask_rule_or_against_a_deny_rule(make_walk, project, script, clean_environment):
    script("PreToolUse", POLITE_GUARD.replace(" --quiet", " "), "Bash")
    (clean_environment / ".claude").mkdir()
    rules = {"permissions": {"ask": ["Bash(touch:*)"], "deny": ["Bash(rm:*)"]}}
    (clean_environment / ".claude" / "settings.json").write_text(json.dumps(rules), encoding="utf-8")
    walk = await opened(make_walk, call("Bash", command="touch made"), call("Bash", command="rm hello.py"), say("done"))
    await walk.say("do it", Answer("deny"))
    assert [ask.input for ask in walk.asked] == [{"command": "touch made "}]
    assert (project / "hello.py").exists()
    assert not (project / "made").exists()


TITLE = """import json, sys
told = json.load(sys.stdin)
event = told["hook_event_name"]
print(json.dumps({"hookSpecificOutput": {"hookEventName": event, "sessionTitle": f"from\\n{event}"}}))
"""


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
async def test_a_hook_names_the_session_and_a_person_has_the_last_word(make_walk, script, event):
    script(event, TITLE)
    walk = await opened(make_walk, say("one"))
    await walk.say("first")
    path = Path(walk.session.status().transcript)
    assert describe(path).title == f"from {event}"
    await walk.say("/rename mine")
    assert describe(path).title == "mine"
