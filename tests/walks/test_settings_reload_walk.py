"""Settings that change while a session is open: in force from the next prompt on, told in one line, never by half a save."""

import asyncio
import json

from agent.protocol.asks import Answer, Trust
from agent.protocol.events import Asked, HookFinished, Notice
from agent.rehearsal.script import call, say
from tests.walks.conftest import YES, finished, of

NO = Answer("deny")


def write(path, **settings):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(settings), encoding="utf-8")


def hook(event, command):
    return {event: [{"hooks": [{"type": "command", "command": command}]}]}


def notices(events):
    return [event.text for event in of(events, Notice)]


async def answered(walk, session, answer):
    """Starts the session and answers its trust question."""

    async def watch():
        async for event in session.events():
            if isinstance(event, Asked):
                walk.asked.append(event.ask)
                session.answer(event.id, answer)

    watching = asyncio.create_task(watch())
    await session.start()
    watching.cancel()


async def test_a_hook_of_the_person_that_is_added_runs_with_the_next_prompt(make_walk, clean_environment):
    file = clean_environment / ".claude" / "settings.json"
    write(file)
    walk = await make_walk(say("one"), say("two"), say("three"))
    await walk.say("first")
    write(file, hooks=hook("UserPromptSubmit", "echo the moon is full"))
    events = await walk.say("second")
    assert [line for line in notices(events) if line.startswith(f"Settings changed ({file}): hooks (1 new)")] != []
    assert "the moon is full" in walk.texts()[-1]
    assert not any("Settings changed" in line for line in notices(await walk.say("third")))


async def test_a_half_saved_file_changes_nothing_and_the_mended_one_counts(make_walk, project):
    file = project / ".claude" / "settings.json"
    write(file, permissions={"deny": ["Read(hello.py)"]})
    reads = [call("Read", file_path=str(project / "hello.py")), say("so be it")]
    walk = await make_walk(say("one"), *reads, *reads)
    await walk.say("first")
    file.write_text('{"permissions": {\n  "deny": [', encoding="utf-8")
    events = await walk.say("read it")
    told = [line for line in notices(events) if "The settings stay as they were" in line]
    assert len(told) == 1
    assert f"{file}:2:12" in told[0]
    assert finished(events).permission_denials != ()
    write(file, permissions={"deny": []})
    events = await walk.say("read it again")
    assert finished(events).permission_denials == ()


async def test_a_changed_script_of_the_project_asks_again_and_no_means_without(make_walk, project):
    script = project / "guard.sh"
    script.write_text("#!/bin/sh\necho first guard\n", encoding="utf-8")
    script.chmod(0o755)
    write(project / ".claude" / "settings.json", hooks=hook("UserPromptSubmit", "sh ./guard.sh"))
    walk = await make_walk(say("one"), say("two"), say("three"))
    session = await walk.open()
    await answered(walk, session, YES)
    await walk.say("first")
    assert "first guard" in walk.texts()[-1]
    script.write_text("#!/bin/sh\ntouch PWNED\n", encoding="utf-8")
    events = await walk.say("second", NO)
    assert isinstance(walk.asked[-1], Trust)
    assert not (project / "PWNED").exists()
    assert [event for event in of(events, HookFinished) if event.event == "UserPromptSubmit"] == []
    await walk.say("third")
    assert not (project / "PWNED").exists()


async def test_env_and_excludes_change_and_the_mode_of_the_person_stays(make_walk, clean_environment, project):
    (project / "CLAUDE.md").write_text("Always whisper.", encoding="utf-8")
    file = clean_environment / ".claude" / "settings.json"
    write(file, env={"GREETING": "hello"})
    walk = await make_walk(say("one"), call("Bash", command='echo "<$GREETING>"'), say("two"), say("three"))
    await walk.say("first")
    walk.session.set_mode("acceptEdits")
    write(file, env={"GREETING": "good day"}, claudeMdExcludes=["**/CLAUDE.md"])
    await walk.say("greet")
    assert "<good day>" in walk.texts()[-1]
    assert walk.session.status().mode == "acceptEdits"
    await walk.say("/clear")
    await walk.say("again")
    assert "Always whisper." not in walk.texts()[-1]


async def test_the_tables_name_the_file_of_every_value(make_walk, clean_environment, project):
    user, ours = clean_environment / ".claude" / "settings.json", project / ".claude" / "settings.json"
    write(user, autoCompactWindow=120_000, env={"MY_API_KEY": "hush-hush", "PLAIN": "seen"}, hooks=hook("Stop", "true"))
    write(ours, permissions={"deny": ["Bash(rm:*)"], "allow": ["Bash(make | tee x)"]})
    walk = await make_walk(say("one"))
    await walk.open(interactive=False)
    await walk.say("first")
    settings = "\n".join(notices(await walk.say("/settings")))
    assert f"| autoCompactWindow | `120000` | {user} |" in settings
    assert f"| env.PLAIN | `seen` | {user} |" in settings
    assert "hush-hush" not in settings
    rules = "\n".join(notices(await walk.say("/permissions")))
    assert f"| deny | `Bash(rm:*)` | {ours} |" in rules
    assert "| allow | `Bash(make \\| tee x)` | .claude/settings.json (held back: this folder is not trusted) |" in rules
    hooks = "\n".join(notices(await walk.say("/hooks")))
    row = next(line for line in hooks.splitlines() if line.startswith("| Stop"))
    assert row.startswith(f"| Stop | `*` | `true` | {user} | ok · ")
    assert row.endswith(" ms · 1 run |")


async def test_windows_of_single_models_come_before_that_of_all(make_walk, clean_environment):
    write(
        clean_environment / ".claude" / "settings.json",
        autoCompactWindow=150_000,
        autoCompactWindows={"haiku": 80_000, "opus": "much"},
    )
    walk = await make_walk(say("one"))
    await walk.say("hello")
    assert "autoCompactWindows.opus skipped" in "\n".join(notices(await walk.say("/settings")))
    assert walk.session.reading().windows.compaction == 150_000
    await walk.say("/model haiku")
    assert walk.session.reading().windows.compaction == 80_000
