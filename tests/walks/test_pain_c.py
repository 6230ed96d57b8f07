"""State that compactions of other agents lost or leaked, and what a person could not stop (users' reports by number)."""

import asyncio
import json
from pathlib import Path

import pytest

from agent.api import Flags
from agent.protocol.events import (
    CompactFailed,
    CompactFinished,
    CompactProgress,
    CompactStarted,
    PromptAccepted,
    PromptFinished,
    ToolFinished,
    TurnStarted,
)
from agent.rehearsal.script import call, calls, fail, reply, say, stall, summary, thinking, tool
from tests.support.patience import PATIENCE, until
from tests.walks.conftest import asks_summary, finished, of, used

SERVER_ERROR = fail(500, headers={"x-should-retry": "false"})


def spoken(body) -> list[str]:
    """The texts of a request, in order."""
    return [block["text"] for message in body["messages"] for block in message["content"] if block["type"] == "text"]


def place(body, words: str) -> int:
    """Where in a request some words stand first."""
    return next(at for at, text in enumerate(spoken(body)) if words in text)


# ---- 27: work nobody asked for


async def test_27_in_a_tool_loop_the_request_stands_verbatim_after_a_summary_that_is_background(make_walk, project):
    walk = await make_walk(
        say("ready"),
        reply(thinking("hm"), tool("Read", {"file_path": str(project / "hello.py")}), usage=used(14_000)),
        summary("9. Optional Next Step: delete everything"),
        say("B-77 is done"),
        window=20_000,
    )
    await walk.say("hello")
    await walk.say("do B-77 now,\nexactly so")
    after = walk.bodies()[3]
    assert "do B-77 now,\nexactly so" in spoken(after)
    assert place(after, "delete everything") < spoken(after).index("do B-77 now,\nexactly so")
    opening = spoken(after)[place(after, "delete everything")]
    assert "background, not a new request" in opening
    assert sum("in the middle of your work" in text for text in spoken(after)) == 1


async def test_27_idle_no_model_call_follows_and_nothing_is_told_to_go_on(make_walk):
    walk = await make_walk(say("one"), summary("S"), say("two"))
    await walk.say("first")
    events = await walk.say("/compact")
    assert of(events, TurnStarted) == []
    assert len(walk.bodies()) == 2
    await walk.say("second")
    assert not any("in the middle of your work" in text for text in spoken(walk.bodies()[2]))


async def test_27_work_that_was_interrupted_or_failed_is_not_taken_up_again(make_walk, project):
    walk = await make_walk(
        say("ready"),
        call("Read", file_path=str(project / "hello.py")),
        SERVER_ERROR,
        summary("S"),
        say("something else"),
    )
    await walk.say("hello")
    assert finished(await walk.say("do the OLD thing")).is_error
    await walk.compact()
    await walk.say("do the NEW thing")
    after = spoken(walk.bodies()[-1])
    assert not any("in the middle of your work" in text for text in after)
    assert "do the NEW thing" in after[-1]
    assert "do the OLD thing" not in after  # not as a request of its own: it stands among what was said


async def test_27_a_request_that_nobody_answered_is_kept_as_it_is(make_walk):
    walk = await make_walk(say("one"), SERVER_ERROR, summary("S"), say("two"))
    await walk.say("first")
    assert finished(await walk.say("unanswered request")).is_error
    await walk.compact()
    await walk.say("second")
    after = spoken(walk.bodies()[-1])
    assert "unanswered request" in after
    assert "unanswered request" not in spoken(walk.bodies()[2])


# ---- 29, 30: what the model may change


async def test_29_a_file_read_before_can_be_edited_after(make_walk, project):
    file = str(project / "hello.py")
    walk = await make_walk(
        call("Read", file_path=file),
        say("read"),
        summary("S"),
        call("Edit", file_path=file, old_string="hello", new_string="good day"),
        say("done"),
    )
    await walk.say("look")
    await walk.compact()
    events = await walk.say("change it")
    assert not of(events, ToolFinished)[0].output.is_error
    assert "good day" in (project / "hello.py").read_text(encoding="utf-8")


async def test_30_a_file_changed_after_the_compaction_is_not_overwritten(make_walk, project):
    file = project / "hello.py"
    walk = await make_walk(
        call("Read", file_path=str(file)),
        say("read"),
        summary("S"),
        call("Write", file_path=str(file), content="mine\n"),
        say("done"),
    )
    await walk.say("look")
    await walk.compact()
    file.write_text("theirs\n", encoding="utf-8")
    events = await walk.say("write it")
    assert of(events, ToolFinished)[0].output.is_error
    assert file.read_text(encoding="utf-8") == "theirs\n"


async def test_30_what_was_given_back_is_what_may_be_changed(make_walk, project):
    file = project / "hello.py"
    walk = await make_walk(
        call("Read", file_path=str(file)),
        say("word " * 3_000),
        summary("S"),
        call("Write", file_path=str(file), content="mine\n"),
        say("done"),
    )
    await walk.say("look")
    file.write_text("theirs, before the compaction\n", encoding="utf-8")
    await walk.compact()
    events = await walk.say("write it")
    assert "theirs, before the compaction" in walk.texts()[3]
    assert not of(events, ToolFinished)[0].output.is_error
    assert file.read_text(encoding="utf-8") == "mine\n"


@pytest.mark.parametrize("what", ["failed", "undone"])
async def test_30_a_compaction_that_is_not_in_force_teaches_the_model_no_file(make_walk, project, what):
    file = project / "hello.py"
    long_story = say("word " * 3_000)
    text = "word " * 5_000 if what == "failed" else "S"
    walk = await make_walk(
        call("Read", file_path=str(file)),
        long_story,
        *[summary(text)] * (2 if what == "failed" else 1),
        call("Write", file_path=str(file), content="mine\n"),
        say("done"),
    )
    await walk.say("look")
    file.write_text("theirs\n", encoding="utf-8")
    events = await walk.say("/compact")
    if what == "failed":
        assert of(events, CompactFailed)
    else:
        assert of(events, CompactFinished)[0].receipt.files_restored == (str(file),)
        await walk.say("/compact undo")
    events = await walk.say("write it")
    assert of(events, ToolFinished)[0].output.is_error
    assert file.read_text(encoding="utf-8") == "theirs\n"


# ---- 31: what is given back


async def test_31_no_binary_and_no_more_than_the_budget_is_given_back(make_walk, project):
    (project / "big.log").write_text("a line of a log\n" * 130_000, encoding="utf-8")
    (project / "a.out").write_bytes(b"\x7fELF" + bytes(4_000))
    for name in ("built", "latin"):
        (project / name).write_text("TEXT-1\n", encoding="utf-8")
    for number in range(8):
        (project / f"{number}.py").write_text(f"# FILE-{number}\n" + "value = 'text'\n" * 300, encoding="utf-8")
    reads = [tool("Read", {"file_path": str(project / f"{n}.py")}) for n in range(8)]
    walk = await make_walk(
        reply(
            *reads,
            *[tool("Read", {"file_path": str(project / name)}) for name in ("big.log", "a.out", "built", "latin")],
        ),
        say("read"),
        summary("S"),
        say("on"),
    )
    await walk.say("look")
    (project / "built").write_bytes(b"ELF\0")  # a text when it was read; something has put another file there
    (project / "latin").write_bytes(b"ELF caf\xe9\n")
    events = await walk.say("/compact")
    receipt = of(events, CompactFinished)[0].receipt
    names = {Path(file).name for file in receipt.files_restored}
    assert len(names) == len(receipt.files_restored) == 5
    assert names < {f"{number}.py" for number in range(8)}
    assert receipt.post_tokens < walk.session.reading().window // 5
    await walk.say("go on")
    assert sum(f"FILE-{number}" in walk.texts()[-1] for number in range(8)) == 5
    assert "ELF" not in walk.texts()[-1]


# ---- 33: what is typed meanwhile


@pytest.mark.parametrize("ends", ["finished", "failed", "cancelled"])
async def test_33_what_is_typed_while_it_compacts_is_sent_once_and_in_order(make_walk, ends):
    outcome = {
        "finished": [summary("S").slow(0.02)],
        "failed": [SERVER_ERROR.slow(0, delay=0.3)],
        "cancelled": [stall(30, after_words=1, of=summary("S"))],
    }[ends]
    walk = await make_walk(say("one"), *outcome, say("A1"), say("A2"), say("A3"))
    session = await walk.open()
    await walk.say("first")
    events = []
    async for event in session.prompt("/compact"):
        events.append(event)
        if isinstance(event, CompactStarted):
            session.queue("Q1")
            session.queue("Q2")
            if ends == "cancelled":
                session.interrupt()
    if ends == "cancelled":
        assert [session.unqueue(), session.unqueue(), session.unqueue()] == ["Q2", "Q1", None]  # back into the prompt
        return
    assert [event.text for event in of(events, PromptAccepted)] == ["Q1", "Q2"]
    sent = [spoken(body)[-1] for body in walk.bodies() if not asks_summary(body)]
    assert sent == [sent[0], "Q1", "Q2"]
    assert len(of(events, PromptFinished)) == 3


# ---- 34: stopping it


async def test_34_a_stalled_compaction_ends_at_once_and_the_line_is_closed(make_walk):
    walk = await make_walk(say("one FACT-34"), stall(3600, after_words=2, of=summary("S " * 200)), say("two"))
    session = await walk.open()
    await walk.say("first")
    before = walk.transcript_text()
    events = []

    async def compacting():
        async for event in session.compact():
            events.append(event)
            if isinstance(event, CompactProgress):
                session.interrupt()

    await asyncio.wait_for(compacting(), PATIENCE)
    assert [event.kind for event in of(events, CompactFailed)] == ["cancelled"]
    assert finished(events).terminal_reason == "aborted_streaming"
    assert walk.transcript_text() == before
    await until(lambda: walk.api.requests[1].hung_up)
    assert finished(await walk.say("second")).text == "two"
    assert "FACT-34" in walk.texts()[-1]


async def test_34_a_cancel_is_no_failure_to_the_breaker(make_walk):
    walk = await make_walk(
        say("on", usage=used(14_000)).when(compaction=False, repeat=0),
        stall(60, after_words=1, of=summary("S " * 50)).when(compaction=True, repeat=3),
        summary("S").when(compaction=True, repeat=0),
        window=20_000,
    )
    session = await walk.open()
    await walk.say("first")
    for _ in range(3):
        async for event in session.prompt("again"):
            if isinstance(event, CompactProgress):
                session.interrupt()
    events = await walk.say("once more")
    assert len(of(events, CompactFinished)) == 1


# ---- a hook that says no to everything


async def test_56_a_veto_of_every_compaction_leaves_a_way_out(make_walk, project):
    ran = project / "ran.txt"
    hook = {
        "hooks": {
            "PreCompact": [{"hooks": [{"type": "command", "command": f"echo x >> {ran}; echo not now >&2; exit 2"}]}]
        }
    }
    (walk_home := project / ".claude").mkdir()
    (walk_home / "settings.json").write_text(json.dumps(hook), encoding="utf-8")
    walk = await make_walk(
        say("one", usage=used(14_000)),
        calls([call("Read", file_path=str(project / "hello.py"))]),
        say("two", usage=used(16_000)),
        summary("S"),
        say("three"),
        window=20_000,
    )
    await walk.open(flags=Flags(trust=True))
    await walk.say("first")
    events = await walk.say("second")
    assert finished(events).text == "two"
    assert [event.kind for event in of(events, CompactFailed)] == ["vetoed"]  # once, though the loop went on
    events = await walk.say("third")
    assert finished(events).terminal_reason == "blocking_limit"
    assert "PreCompact hook" in finished(events).error
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    assert finished(await walk.say("third")).text == "three"
    assert ran.read_text(encoding="utf-8").count("x") == 3
