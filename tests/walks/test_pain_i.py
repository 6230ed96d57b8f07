"""What users of other agents suffered from rewinding files (their reports by number): none of it here."""

import json
import os
import stat
import subprocess

import pytest

from agent.protocol.asks import Answer, Rewind
from agent.protocol.events import Failed, Notice
from agent.rehearsal.script import call, calls, say, summary
from tests.walks.conftest import finished, of

YES, FILES, NO = Answer("once"), Answer("session"), Answer("deny")


def output(events) -> str:
    return "\n".join(event.text for event in of(events, Notice) if event.level == "output")


def answering(choice):
    """Yes to permissions, `choice` to a rewind."""
    return lambda ask: choice if isinstance(ask, Rewind) else YES


def write(path, content):
    return call("Write", file_path=str(path), content=content)


def edit(path, old, new):
    return call("Edit", file_path=str(path), old_string=old, new_string=new)


def read(path):
    return call("Read", file_path=str(path))


@pytest.fixture
def a(project):
    """A file that the agent will change; executable, with CRLF lines."""
    path = project / "a.py"
    path.write_bytes(b"one\r\ntwo\r\n")
    path.chmod(0o755)
    return path


# ---- 71: what is the person's stays; the safe choice comes first


async def test_71_only_what_was_changed_is_put_back_and_the_question_lists_it(make_walk, project, a):
    notes = project / "notes.txt"
    notes.write_text("mine\n")
    walk = await make_walk(
        read(a), edit(a, "two", "TWO"), write(project / "new.py", "new\n"), say("done"), say("after")
    )
    await walk.say("change it")
    notes.write_text("mine, changed\n")
    events = await walk.say("/rewind 1", answering(FILES))
    asked = walk.asked[-1]
    assert isinstance(asked, Rewind)
    assert (asked.prompt, asked.files, asked.uncovered) == ("change it", ("restore a.py", "remove new.py"), ())
    assert "Files put back: restored a.py, removed new.py." in output(events)
    assert a.read_bytes() == b"one\r\ntwo\r\n"
    assert not (project / "new.py").exists()
    assert notes.read_text() == "mine, changed\n"
    assert finished(await walk.say("go on")).text == "after"


@pytest.mark.parametrize("choice", [YES, NO])
async def test_71_the_other_answers_change_no_file(make_walk, project, a, choice):
    walk = await make_walk(read(a), edit(a, "two", "TWO"), say("done"), say("after"))
    await walk.say("change it")
    said = output(await walk.say("/rewind 1", answering(choice)))
    assert a.read_bytes() == b"one\r\nTWO\r\n"
    assert ("files on disk are as they were" in said) == (choice is YES)
    assert (said == "Nothing was changed.") == (choice is NO)


async def test_71_nothing_is_asked_when_no_file_changed(make_walk, project):
    walk = await make_walk(read(project / "hello.py"), say("done"))
    await walk.say("look")
    await walk.say("/rewind 1")
    assert not [ask for ask in walk.asked if isinstance(ask, Rewind)]


async def test_71_links_are_not_written_through_and_it_is_said(make_walk, project, a, tmp_path):
    walk = await make_walk(read(a), edit(a, "two", "TWO"), write(project / "b.py", "b\n"), say("done"))
    await walk.say("change it")
    precious = tmp_path / "precious"
    precious.write_text("mine")
    a.unlink()
    a.symlink_to(precious)
    os.link(project / "b.py", tmp_path / "second-name")
    said = output(await walk.say("/rewind 1 files"))
    assert "Restored the code, but skipped 2 files: a.py (it is reached through a link now)" in said
    assert precious.read_text() == "mine"
    assert (tmp_path / "second-name").read_text() == "b\n"


# ---- 72: the person's repository


async def test_72_the_repository_is_left_alone(make_walk, project, a):
    def git(*words):
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        return subprocess.run(
            ["git", *identity, *words], cwd=project, check=True, capture_output=True, text=True
        ).stdout

    git("add", "hello.py")
    git("commit", "-qm", "first")
    (project / "staged.txt").write_text("staged")
    git("add", "staged.txt")
    (project / "hello.py").write_text("unstaged\n")

    def state():
        files = sorted(path for path in (project / ".git").rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in files}

    git("status", "--porcelain=v2")
    before = state()
    walk = await make_walk(read(a), edit(a, "two", "TWO"), say("one"), edit(a, "TWO", "2"), say("two"))
    await walk.say("change it")
    await walk.say("again")
    await walk.say("/rewind 1 files")
    assert state() == before
    assert a.read_bytes() == b"one\r\ntwo\r\n"


# ---- 73: what commands change is named


async def test_73_files_changed_by_commands_are_named_before_confirming(make_walk, project, a):
    (project / "b.txt").write_text("old\n")
    walk = await make_walk(
        read(a), calls([edit(a, "two", "TWO"), call("Bash", command="sed -i s/old/new/ b.txt")]), say("done")
    )
    await walk.say("change both")
    await walk.say("/rewind 1", answering(FILES))
    asked = walk.asked[-1]
    assert isinstance(asked, Rewind)
    assert (asked.files, asked.uncovered) == (("restore a.py",), ("b.txt",))
    assert (project / "b.txt").read_text() == "new\n"


# ---- 74: each point in time, with modes and line ends


async def three_turns(make_walk, project, a):
    b, c = project / "b.py", project / "c.py"
    b.write_text("b0\n")
    walk = await make_walk(
        *(read(a), edit(a, "one", "1"), say("turn 1")),
        *(read(b), calls([edit(a, "two", "2"), edit(b, "b0", "b2"), write(c, "c2\n")]), say("turn 2")),
        *(edit(c, "c2", "c3"), say("turn 3"), say("after")),
    )
    for prompt in ("first", "second", "third"):
        await walk.say(prompt)
    assert (a.read_bytes(), b.read_text(), c.read_text()) == (b"1\r\n2\r\n", "b2\n", "c3\n")
    return walk, b, c


async def test_74_before_the_second_turn(make_walk, project, a):
    walk, b, c = await three_turns(make_walk, project, a)
    await walk.say("/rewind 2 files")
    assert (a.read_bytes(), b.read_text(), c.exists()) == (b"1\r\ntwo\r\n", "b0\n", False)
    assert stat.S_IMODE(a.stat().st_mode) == 0o755


async def test_74_before_the_first_turn_and_back_again(make_walk, project, a):
    walk, b, c = await three_turns(make_walk, project, a)
    await walk.say("/rewind 1 files")
    assert (a.read_bytes(), b.read_text(), c.exists()) == (b"one\r\ntwo\r\n", "b0\n", False)
    said = output(await walk.say("/rewind undo"))
    assert "Files put back: restored a.py, restored b.py, recreated c.py." in said
    assert (a.read_bytes(), b.read_text(), c.read_text()) == (b"1\r\n2\r\n", "b2\n", "c3\n")
    await walk.say("/rewind undo")
    assert (a.read_bytes(), b.read_text(), c.exists()) == (b"one\r\ntwo\r\n", "b0\n", False)
    assert stat.S_IMODE(a.stat().st_mode) == 0o755


async def test_74_the_model_must_read_again_what_was_put_back(make_walk, project, a):
    walk = await make_walk(read(a), edit(a, "two", "TWO"), say("done"), edit(a, "two", "2"), say("refused"))
    await walk.say("change it")
    await walk.say("/rewind 1 files")
    await walk.say("change it otherwise")
    assert a.read_bytes() == b"one\r\ntwo\r\n"
    assert "You have not read" in walk.texts()[-1]


# ---- 75: after a compaction, a kill and a resume; in a branch


async def test_75_a_point_before_a_compaction_after_a_resume(make_walk, project, a):
    walk = await make_walk(
        *(read(a), edit(a, "one", "1"), say("turn 1 LONG"), edit(a, "two", "2"), say("turn 2")),
        *(summary("SUM"), read(a), edit(a, "2", "3"), say("turn 3"), say("after")),
    )
    await walk.say("first")
    await walk.say("second")
    await walk.compact()
    await walk.say("third")
    assert a.read_bytes() == b"1\r\n3\r\n"
    await walk.open(continue_=True)
    await walk.say("/rewind 2 files")
    assert a.read_bytes() == b"1\r\ntwo\r\n"
    assert finished(await walk.say("go on")).text == "after"
    assert "turn 1 LONG" in walk.texts()[-1] and "SUM" not in walk.texts()[-1]


async def test_75_a_branch_can_go_back_to_before_it_began_and_the_original_too(make_walk, project, a):
    walk = await make_walk(read(a), edit(a, "two", "TWO"), say("one"), read(a), edit(a, "one", "1"), say("two"))
    await walk.say("first")
    original = walk.session.id
    await walk.say("/branch")
    await walk.say("second")
    await walk.say("/rewind 1 files")
    assert a.read_bytes() == b"one\r\ntwo\r\n"
    await walk.say("/rewind undo")
    await walk.open(resume=original)
    await walk.say("/rewind 1 files")
    assert b"two" in a.read_bytes()


async def test_headless_moves_only_the_conversation_unless_told(make_walk, project, a):
    walk = await make_walk(read(a), edit(a, "two", "TWO"), say("one"))
    await walk.say("first")
    await walk.open(continue_=True, interactive=False)
    said = output(await walk.say("/rewind 1"))
    assert "(1 file changed since: after an undo, `/rewind 1 files` puts them back too.)" in said
    assert a.read_bytes() == b"one\r\nTWO\r\n"
    await walk.say("/rewind undo")
    await walk.say("/rewind 1 files")
    assert a.read_bytes() == b"one\r\ntwo\r\n"


async def test_copies_are_private_outside_the_project_and_the_word_is_checked(make_walk, project, a):
    walk = await make_walk(read(a), edit(a, "two", "TWO"), say("one"))
    await walk.say("first")
    folder = walk.home / ".ccagent" / "file-history" / walk.session.id
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(item.stat().st_mode) for item in folder.iterdir()} == {0o600}
    (entry,) = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    assert (folder / entry["backupFileName"]).read_bytes() == b"one\r\ntwo\r\n"
    events = await walk.say("/rewind 1 code")
    assert [event.failure.what for event in of(events, Failed)] == ["/rewind 1 does not know 'code'."]


@pytest.mark.parametrize("how", ["settings", "environment"])
async def test_where_checkpointing_is_off_nothing_is_kept(make_walk, project, clean_environment, a, how):
    walk = await make_walk(read(a), edit(a, "two", "TWO"), say("done"))
    if how == "settings":
        (project / ".ccagent").mkdir()
        (project / ".ccagent" / "settings.json").write_text('{"fileCheckpointingEnabled": false}')
    await walk.open(env={"CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING": "1"} if how == "environment" else {})
    await walk.say("change it")
    assert not (clean_environment / ".ccagent" / "file-history").exists()
    assert "No file had to be put back." in output(await walk.say("/rewind 1 files"))
    assert a.read_bytes() == b"one\r\nTWO\r\n"
