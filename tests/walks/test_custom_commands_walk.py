"""Commands from Markdown files in whole sessions: what the model reads, what is run, what is allowed, and who was asked."""

import asyncio
import json
import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from agent.api import Flags
from agent.protocol.asks import Answer, Ask, Permission, Trust
from agent.protocol.events import Failed, Notice, PromptAccepted
from agent.rehearsal.script import call, say, summary
from tests.support.ccagent import ccagent
from tests.support.disk import room_for
from tests.support.naps import nap, napping
from tests.support.patience import until
from tests.walks.conftest import YES, finished, of

NO = Answer("deny")


def write(folder, name, text):
    file = folder / ".claude" / "commands" / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def last_user_text(walk):
    """All that the last request ends with, from its last user messages."""
    return json.dumps(walk.bodies()[-1]["messages"][-1]["content"])


def trusts(walk):
    return [ask for ask in walk.asked if isinstance(ask, Trust)]


async def test_the_model_reads_the_text_and_the_record_keeps_what_was_typed(make_walk, project):
    write(project, "front/fix", "---\ndescription: Fix it\n---\nFix issue $1 with @hello.py in mind.")
    walk = await make_walk(say("done"))
    events = await walk.say("/front:fix 42")
    assert finished(events).text == "done"
    assert [event.text for event in of(events, PromptAccepted)] == ["/front:fix 42"]
    sent = walk.texts()[-1]
    assert "Fix issue 42 with @hello.py in mind." in sent
    assert "def greet" in sent
    assert walk.asked == []


async def test_arguments_follow_a_text_that_has_no_place_for_them(make_walk, clean_environment):
    write(clean_environment, "sketch", "Make a plan.")
    walk = await make_walk(say("one"), say("two"))
    await walk.say("/sketch\nthe second line too")
    assert "ARGUMENTS: the second line too" in walk.texts()[-1]
    await walk.say("/sketch")
    assert "ARGUMENTS" not in last_user_text(walk)


async def test_a_persons_own_command_runs_what_is_allowed(make_walk, clean_environment):
    write(
        clean_environment,
        "state",
        "---\nallowed-tools: Bash(printf:*)\n---\nIt says: !`printf 'one @hello.py %s' $1`\nand !`git status --short`",
    )
    walk = await make_walk(say("one"))
    events = await walk.say("/state two")
    assert finished(events).error == ""
    sent = walk.texts()[-1]
    assert "It says: one @hello.py two" in sent
    assert "?? hello.py" in sent
    assert "def greet" not in sent  # a command's output mentions no files


async def test_what_two_shell_parts_print_too_much_of_stands_in_a_file_each(make_walk, clean_environment):
    write(clean_environment, "long", "---\nallowed-tools: Bash(seq:*)\n---\n!`seq 1 20000`\n!`seq 30001 50000`")
    walk = await make_walk(say("one"))
    await walk.say("/long")
    files = list(dict.fromkeys(re.findall(r"all of it is in (.+?): Read", walk.texts()[-1])))
    ends = [Path(file).read_text(encoding="utf-8").split()[-1] for file in files]
    assert ends == ["20000", "50000"]


@pytest.mark.parametrize("argument", ["x; touch PWNED", "$(touch PWNED)", "!`touch PWNED`"])
async def test_what_was_typed_widens_no_rule(make_walk, clean_environment, project, argument):
    write(clean_environment, "state", "---\nallowed-tools: Bash(printf:*)\n---\n$ARGUMENTS !`printf %s $ARGUMENTS`")
    walk = await make_walk()
    events = await walk.say(f"/state {argument}")
    assert "may not run" in finished(events).error
    assert not (project / "PWNED").exists()
    assert walk.bodies() == []


async def test_a_shell_part_moves_nothing_of_the_session(make_walk, clean_environment, project):
    (project / "sub").mkdir()
    write(clean_environment, "look", "---\nallowed-tools: Bash(cd:*)\n---\nGo.\n!`cd sub`")
    walk = await make_walk(say("one"))
    before = (await walk.open()).status().cwd
    events = await walk.say("/look")
    assert (finished(events).error, finished(events).text) == ("", "one")
    assert walk.session.status().cwd == before
    assert not any(type(event).__name__.startswith("Tool") for event in events)


async def test_what_is_not_allowed_or_fails_sends_nothing(make_walk, clean_environment, project):
    write(clean_environment, "make", "!`touch made`")
    write(clean_environment, "break", "---\nallowed-tools: Bash(false)\n---\n!`false`")
    walk = await make_walk()
    assert "may not run `touch made`" in finished(await walk.say("/make")).error
    assert "`false` failed" in finished(await walk.say("/break")).error
    assert not (project / "made").exists()
    assert walk.bodies() == []


async def test_a_projects_command_is_asked_for_once_and_again_when_it_changed(make_walk, project):
    file = write(project, "state", "---\nallowed-tools: Bash(printf:*)\n---\n!`printf first`")
    walk = await make_walk(say("one"), say("two"), say("three"))
    await walk.say("/state")
    await walk.say("/state")
    assert len(trusts(walk)) == 1
    assert trusts(walk)[0].items[0].text == "!printf first · allows Bash(printf:*)"
    file.write_text("---\nallowed-tools: Bash(touch:*)\n---\n!`touch PWNED`", encoding="utf-8")
    events = await walk.say("/state", NO)
    assert len(trusts(walk)) == 2
    assert "not trusted" in finished(events).error
    assert not (project / "PWNED").exists()
    assert len(walk.bodies()) == 2


async def test_a_changed_script_that_a_command_runs_asks_again(make_walk, project):
    script = project / "count.sh"
    script.write_text("printf one", encoding="utf-8")
    write(project, "count", "---\nallowed-tools: Bash(sh count.sh)\n---\n!`sh count.sh`")
    walk = await make_walk(say("one"))
    await walk.say("/count")
    script.write_text("touch PWNED", encoding="utf-8")
    await walk.say("/count", NO)
    assert len(trusts(walk)) == 2
    assert not (project / "PWNED").exists()


async def test_headless_never_trusts_by_itself(make_walk, project):
    write(project, "state", "---\nallowed-tools: Bash(touch:*)\n---\n!`touch PWNED`")
    write(project, "edit", "---\nallowed-tools: Bash(touch:*)\n---\nEdit it.")
    walk = await make_walk(call("Bash", command="touch PWNED"), say("could not"), say("three"))
    await walk.open(interactive=False)
    assert "not trusted" in finished(await walk.say("/state")).error
    events = await walk.say("/edit")
    assert any("Not trusted, so not used: command /edit allows Bash(touch:*)" in n.text for n in of(events, Notice))
    assert [denial.tool_name for denial in finished(events).permission_denials] == ["Bash"]
    assert not (project / "PWNED").exists()
    await walk.open(interactive=False, flags=Flags(trust=True))
    await walk.say("/state")
    assert (project / "PWNED").exists()


async def test_allowed_tools_hold_for_one_prompt(make_walk, clean_environment, project):
    write(clean_environment, "mark", "---\nallowed-tools: Bash(touch:*)\n---\nMark it.")
    walk = await make_walk(
        call("Bash", command="touch one"), say("one"), call("Bash", command="touch two"), say("not two")
    )
    await walk.say("/mark")
    assert (project / "one").exists()
    assert walk.asked == []
    await walk.say("again", NO)
    assert [type(ask) for ask in walk.asked] == [Permission]
    assert not (project / "two").exists()


async def test_a_deny_rule_beats_a_commands_rules(make_walk, clean_environment, project):
    write(clean_environment, "mark", "---\nallowed-tools: Bash\n---\n!`touch one`")
    (clean_environment / ".claude" / "settings.json").write_text('{"permissions": {"deny": ["Bash(touch:*)"]}}')
    walk = await make_walk()
    assert "may not run" in finished(await walk.say("/mark")).error
    assert not (project / "one").exists()


async def test_a_model_of_its_own_answers_one_prompt(make_walk, clean_environment):
    write(clean_environment, "quick", "---\nmodel: haiku\n---\nQuickly.")
    walk = await make_walk(say("one"), say("two"))
    before = (await walk.open()).status().model
    await walk.say("/quick")
    await walk.say("go on")
    assert [body["model"] for body in walk.bodies()] == ["claude-haiku-5-5", before]
    assert walk.session.status().model == before


async def test_a_disk_that_fills_meanwhile_is_told_once_and_the_own_model_is_back(make_walk, clean_environment):
    write(clean_environment, "quick", "---\nmodel: haiku\n---\nQuickly.")
    walk = await make_walk(call("Bash", command="touch x"), say("own"))
    before = (await walk.open()).status().model
    with ExitStack() as full:

        def fill(_ask: Ask) -> Answer:
            full.enter_context(room_for(0))
            return NO

        events = await walk.say("/quick", fill)
    assert [failed.failure.what for failed in of(events, Failed)] == ["Not saved: the disk is full."]
    assert walk.session.status().model == before
    assert finished(await walk.say("and now?")).text == "own"
    assert walk.bodies()[-1]["model"] == before


async def test_a_compaction_for_the_commands_model_is_paid_by_its_prompt(make_walk, clean_environment):
    write(clean_environment, "quick", "---\nmodel: claude-haiku-4-5\n---\nQuickly.")
    full = say("one", usage={"input_tokens": 400_000, "output_tokens": 10})
    walk = await make_walk(full, summary("S-1"), say("two"))
    first = finished(await walk.say("first"))
    result = finished(await walk.say("/quick"))
    assert [spent.requests for spent in result.by_model.values()] == [1, 1]
    assert [record.trigger for record in result.compactions] == ["auto"]
    assert walk.spent() == pytest.approx(first.cost + result.cost)


async def test_commands_are_listed_completed_and_named_when_mistyped(make_walk, project, clean_environment):
    write(project, "front/page", "---\ndescription: Build a page\nargument-hint: NAME\n---\nx")
    write(clean_environment, "compact", "Mine.")
    walk = await make_walk()
    session = await walk.open()
    shown = "\n".join(notice.text for notice in of(await walk.say("/help"), Notice))
    assert "- `/front:page NAME`: Build a page (project)" in shown
    assert "`/user:compact`" in shown
    assert [(c.text, c.hint) for c in session.complete("/pa")] == [("/front:page", "Build a page (project)")]
    assert "front:page" in session.status().slash_commands
    failed = of(await walk.say("/fron:page"), Failed)[0].failure
    assert failed.what == "Unknown command: /fron:page."
    assert failed.do.startswith("Did you mean /front:page?")


async def test_an_interrupted_shell_part_leaves_nothing(make_walk, clean_environment):
    write(clean_environment, "wait", f"---\nallowed-tools: Bash(sleep:*)\n---\n!`{nap(1)}`")
    walk = await make_walk(say("one"))
    session = await walk.open()
    await session.start()
    stream = session.prompt("/wait")
    task = asyncio.create_task(_all(stream))
    await until(lambda: napping(nap(1)))
    session.interrupt()
    events = await task
    assert finished(events).error == "Interrupted."
    assert finished(await walk.say("hello", YES)).text == "one"


async def _all(stream):
    return [event async for event in stream]


async def test_the_word_compact_may_be_followed_by_a_new_line(make_walk):
    walk = await make_walk()
    assert finished(await walk.say("/compact\nkeep names")).error == "Not enough messages to compact."


def test_the_program_runs_them_in_print(project, clean_environment):
    write(clean_environment, "mine", "find greet in hello.py for $1")
    write(project, "theirs", "!`touch PWNED`")
    done = ccagent("-p", "--offline", "/mine now", cwd=project)
    assert done.code == 0
    assert done.out != ""
    refused = ccagent("-p", "--offline", "/theirs", cwd=project)
    assert refused.code == 1
    assert "not trusted" in refused.err.splitlines()[-1]
    assert not (project / "PWNED").exists()
    assert (
        ccagent("-p", "--offline", "/compact\nkeep", cwd=project)
        .err.splitlines()[-1]
        .endswith("Not enough messages to compact.")
    )
