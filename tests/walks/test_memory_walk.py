"""Memory in whole sessions: what is read when, in which order, and what hooks are told of it."""

import json
import shlex
import time

import pytest

from agent.api import Flags
from agent.protocol.events import Notice
from agent.rehearsal.script import call, say, summary
from tests.support.patience import until
from tests.walks.conftest import finished
from tests.walks.test_hooks_walk import hooks

MARKS = ("USER-MD", "USER-RULE", "ROOT-MD", "IMPORTED", "LOCAL-MD", "PLAIN-RULE")


def put(folder, **texts):
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_md", ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def tree(project, clean_environment):
    """A project with every kind of memory file, and a hook that notes what is loaded."""
    home = clean_environment
    put(home, **{".claude__CLAUDE_md": "USER-MD", ".claude__rules__mine_md": "USER-RULE"})
    put(
        project,
        CLAUDE_md="ROOT-MD <!-- kept -->\n<!-- HIDDEN -->\n@docs/more.md\n@docs/missing.md\n\n# Compact instructions\n\nKeep TICKETS.\n",
        docs__more_md="IMPORTED @../CLAUDE.md",
        **{
            "CLAUDE.local_md": "LOCAL-MD",
            ".claude__rules__plain_md": "PLAIN-RULE",
            ".claude__rules__py_md": "---\npaths: ['pkg/**/*.py']\n---\nPY-RULE",
        },
        pkg__CLAUDE_md="NESTED-MD",
    )
    put(project, pkg__a="")
    (project / "pkg" / "a.py").write_text("print(1)\n", encoding="utf-8")
    log = home / "loaded.jsonl"
    hooks = {"InstructionsLoaded": [{"hooks": [{"type": "command", "command": f"cat >> {shlex.quote(str(log))}"}]}]}
    (home / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    return log


def messages(walk, at=-1):
    """Each message of a request as one text."""
    return [json.dumps(message["content"]) for message in walk.bodies()[at]["messages"]]


def told(log):
    """What hooks were told so far, a line each."""
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    return [json.loads(line) for line in text.rpartition("\n")[0].splitlines()]


def loaded(log):
    """(file name, whose, why) of each file that hooks were told of, sorted: they run side by side."""
    return sorted(
        (each["file_path"].rpartition("/")[2], each["memory_type"], each["load_reason"]) for each in told(log)
    )


async def closed(walk, log, *files):
    """What is `loaded` in the end: a session that closes waits no longer for hooks that have no say."""
    await until(lambda: set(files) <= set(loaded(log)), f"hooks told of {files}")
    await walk.session.close()
    return loaded(log)


async def test_the_start_reads_everything_that_is_for_all_files_in_order(make_walk, project, tree):
    walk = await make_walk(say("one"))
    await walk.say("hello")
    first = messages(walk)[0]
    places = [first.index(mark) for mark in MARKS]
    assert places == sorted(places)
    assert first.count("ROOT-MD") == 1
    assert not any(mark in first for mark in ("HIDDEN", "NESTED-MD", "PY-RULE"))
    files = [
        ("CLAUDE.local.md", "Local", "session_start"),
        ("CLAUDE.md", "Project", "session_start"),
        ("CLAUDE.md", "User", "session_start"),
        ("mine.md", "User", "session_start"),
        ("more.md", "Project", "include"),
        ("plain.md", "Project", "session_start"),
    ]
    assert await closed(walk, tree, *files) == files


@pytest.mark.parametrize("how", ["read", "mention"])
async def test_what_is_for_some_files_comes_with_them_once(make_walk, project, tree, how):
    read = call("Read", file_path=str(project / "pkg" / "a.py"))
    walk = await make_walk(*([read, say("one"), read, say("two")] if how == "read" else [say("one"), say("two")]))
    prompt = "look" if how == "read" else "look at @pkg/a.py"
    await walk.say(prompt)
    await walk.say(prompt)
    whole = "".join(messages(walk))
    assert whole.count("NESTED-MD") == 1
    assert whole.count("PY-RULE") == 1
    assert how == "mention" or "NESTED-MD" not in messages(walk)[0]
    brought = [("CLAUDE.md", "Project", "nested_traversal"), ("py.md", "Project", "path_glob_match")]
    assert set(brought) <= set(await closed(walk, tree, *brought))


@pytest.mark.parametrize(
    "moves", [["/rewind 2"], ["/rewind 2", "/rewind undo"], ["/compact undo"], ["/compact undo", "/compact redo"]]
)
async def test_what_came_with_a_file_comes_again_where_it_does_not_stand_any_more(make_walk, project, tree, moves):
    read = call("Read", file_path=str(project / "pkg" / "a.py"))
    walk = await make_walk(say("one"), read, say("two"), summary("S-1"), read, say("three"))
    await walk.say("first")
    await walk.say("look")
    await walk.compact()
    for line in moves:
        assert not finished(await walk.say(line)).is_error
    await walk.say("look again")
    whole = "".join(messages(walk))
    assert (whole.count("NESTED-MD"), whole.count("PY-RULE")) == (1, 1)


@pytest.mark.parametrize("moves", [["/rewind 1"], ["/rewind 2"], ["/rewind 1", "/rewind undo"]])
async def test_what_hooks_said_at_the_start_comes_again_where_it_does_not_stand_any_more(make_walk, project, moves):
    hooks(project, SessionStart="echo HOOK-WORDS")
    walk = await make_walk(say("one"), say("two"), say("three"), say("four"))
    await walk.open(flags=Flags(trust=True))
    for prompt in ("first", "second"):
        await walk.say(prompt)
    for line in moves:
        assert not finished(await walk.say(line)).is_error
    for prompt in ("third", "fourth"):
        await walk.say(prompt)
        assert walk.texts()[-1].count("HOOK-WORDS") == 1


async def test_hooks_learn_what_a_file_is_for_and_what_brought_it(make_walk, project, tree):
    walk = await make_walk(call("Read", file_path=str(project / "pkg" / "a.py")), say("one"))
    await walk.say("look")
    files = (project / ".claude/rules/py.md", project / "pkg/CLAUDE.md", project / "docs/more.md")
    await until(lambda: {str(file) for file in files} <= {each["file_path"] for each in told(tree)})
    rule, nested, more = ({each["file_path"]: each for each in told(tree)}[str(file)] for file in files)
    assert (rule["globs"], rule["trigger_file_path"]) == (["pkg/**/*.py"], str(project / "pkg" / "a.py"))
    assert "globs" not in nested
    assert nested["trigger_file_path"] == str(project / "pkg" / "a.py")
    assert more["parent_file_path"] == str(project / "CLAUDE.md")


async def test_a_compaction_reads_it_anew_and_forgets_what_came_with_files(make_walk, project, tree):
    read = call("Read", file_path=str(project / "pkg" / "a.py"))
    walk = await make_walk(read, say("one"), summary("S-1"), say("two"), read, say("three"))
    await walk.say("look")
    (project / "CLAUDE.md").write_text("ROOT-CHANGED", encoding="utf-8")
    await walk.compact()
    assert "Keep TICKETS." in walk.texts()[-1]
    await walk.say("go on")
    whole = "".join(messages(walk))
    assert "ROOT-CHANGED" in whole
    assert "ROOT-MD" not in whole
    assert "NESTED-MD" not in whole
    await walk.say("again")
    assert "".join(messages(walk)).count("NESTED-MD") == 1
    await closed(walk, tree, ("CLAUDE.md", "Project", "compact"))


async def test_clear_reads_it_anew(make_walk, project, tree):
    walk = await make_walk(say("one"), say("two"))
    await walk.say("hello")
    (project / "CLAUDE.md").write_text("ROOT-CHANGED", encoding="utf-8")
    await walk.say("/clear")
    await walk.say("hello")
    assert "ROOT-CHANGED" in messages(walk)[0]


async def test_agents_md_stands_in(make_walk, project):
    (project / "AGENTS.md").write_text("AGENTS-MD", encoding="utf-8")
    walk = await make_walk(say("one"), say("two"))
    await walk.say("hello")
    assert "AGENTS-MD" in messages(walk)[0]
    (project / "CLAUDE.md").write_text("ROOT-MD", encoding="utf-8")
    await walk.say("/clear")
    await walk.say("hello")
    assert "AGENTS-MD" not in messages(walk)[0]


async def test_memory_can_be_switched_off(make_walk, project, tree):
    walk = await make_walk(call("Read", file_path=str(project / "pkg" / "a.py")), say("one"))
    await walk.open(env={"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1"})
    await walk.say("hello")
    assert not any(mark in text for text in messages(walk) for mark in (*MARKS, "NESTED-MD", "PY-RULE"))


async def test_added_folders_have_a_say_when_asked_for(make_walk, project, tmp_path):
    other = tmp_path / "other"
    put(other, CLAUDE_md="OTHER-MD")
    walk = await make_walk(say("one"), say("two"))
    await walk.open(flags=Flags(add_dirs=(str(other),)))
    await walk.say("hello")
    assert "OTHER-MD" not in messages(walk)[0]
    flags = Flags(add_dirs=(str(other),))
    await walk.open(flags=flags, env={"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD": "1"})
    await walk.say("hello")
    assert "OTHER-MD" in messages(walk)[0]


@pytest.fixture
def day(monkeypatch):
    """Puts this process where it is another day: the two places are 25 hours apart."""

    def go(place):
        monkeypatch.setenv("TZ", place)
        time.tzset()

    go("Pacific/Pago_Pago")
    yield go
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("interactive", [True, False])
async def test_a_resumed_conversation_is_told_what_is_new_once_and_nothing_that_was_sent_changes(
    make_walk, project, tree, day, interactive
):
    walk = await make_walk(*[say("ok")] * 5)
    await walk.say("hello")
    put(project, CLAUDE_md="ROOT-MD-2\n", **{".claude__rules__new_md": "NEW-RULE"})
    (project / "CLAUDE.local.md").unlink()
    day("Pacific/Kiritimati")
    await walk.open(continue_=True, interactive=interactive)
    await walk.say("again")
    new = late(walk)
    assert new.count("ROOT-MD-2") == new.count("NEW-RULE") == new.count("The date is now") == 1
    assert f"{project / 'CLAUDE.local.md'} is no longer among the standing instructions" in new
    assert not any(mark in new for mark in ("USER-MD", "USER-RULE", "PLAIN-RULE", "LOCAL-MD", "NESTED"))
    stream = walk.session.events()
    for words in ("and again", "once more"):
        await walk.say(words)
        assert late(walk) == ""
        await walk.open(continue_=True, interactive=interactive)
    told = [event.text async for event in stream if isinstance(event, Notice)]
    (line,) = [text for text in told if text.startswith("Memory changed meanwhile")]
    assert all(name in line for name in ("CLAUDE.md", "new.md", "CLAUDE.local.md (gone)"))
    put(project, CLAUDE_md="ROOT-MD <!-- kept -->\n@docs/more.md\n@docs/missing.md\n")
    await walk.say("back to something like the first")
    assert "ROOT-MD" in late(walk)


async def test_an_old_text_that_comes_back_is_in_force_again(make_walk, project):
    walk = await make_walk(*[say("ok")] * 3)
    put(project, CLAUDE_md="RULE-1")
    await walk.say("hello")
    for rule in ("RULE-2", "RULE-1"):
        put(project, CLAUDE_md=rule)
        await walk.open(continue_=True)
        await walk.say("again")
        assert rule in late(walk)


async def test_another_program_s_conversation_is_told_where_it_goes_on(make_walk, project, tmp_path):
    walk = await make_walk(*[say("ok")] * 2)
    put(project, CLAUDE_md="RULE-1")
    record = {"isSidechain": False, "cwd": str(project), "sessionId": "s", "version": "2.1.0"}
    asked = {"type": "user", "uuid": "u1", "parentUuid": None, "message": {"role": "user", "content": "old question"}}
    words = {"role": "assistant", "id": "m", "model": "claude-sonnet-5-5", "content": [{"type": "text", "text": "old"}]}
    answered = {"type": "assistant", "uuid": "a1", "parentUuid": "u1", "message": words}
    file = tmp_path / "theirs.jsonl"
    file.write_text("".join(json.dumps({**record, **line}) + "\n" for line in (asked, answered)))
    await walk.open(resume=str(file))
    await walk.say("go on")
    assert f"Working directory: {project}" in messages(walk)[-1] and "RULE-1" in messages(walk)[-1]
    await walk.open(continue_=True)
    await walk.say("again")
    assert late(walk) == ""


async def test_what_was_taken_out_of_the_context_is_not_told_again(make_walk, project):
    walk = await make_walk(*[say("ok")] * 3)
    await walk.say("hello")
    items = finished(await walk.say("/context")).text.splitlines()
    number = next(row.split("|")[1].strip() for row in items if "environment and memory" in row)
    assert not finished(await walk.say(f"/context drop {number}")).is_error
    await walk.say("go on")
    await walk.open(continue_=True)
    await walk.say("again")
    assert late(walk) == ""
    assert "Working directory" not in walk.texts()[-1]


def late(walk) -> str:
    """What the last request has before its prompt that the one before it had not: nothing of that is changed."""
    before, after = messages(walk, -2), messages(walk, -1)
    assert [cut_marks(part) for part in after[: len(before) - 1]] == [cut_marks(part) for part in before[:-1]]
    said = json.loads(after[-1])
    return "\n".join(part["text"] for part in said[:-1])


def cut_marks(text: str) -> str:
    return text.replace(', "cache_control": {"type": "ephemeral"}', "")
