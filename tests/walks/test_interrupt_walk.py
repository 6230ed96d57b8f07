"""Esc at any moment leaves a history that the next request may carry."""

import asyncio
import json
from contextlib import ExitStack

from agent.api import Flags
from agent.protocol.events import (
    Asked,
    CompactFailed,
    CompactProgress,
    CompactStarted,
    Failed,
    Interrupted,
    TextDelta,
    ToolStarted,
)
from agent.rehearsal.script import call, calls, say, stall, summary, tool
from tests.support.disk import room_for
from tests.support.patience import PATIENCE
from tests.walks.conftest import finished, of


async def interrupted(walk, text, when):
    """Sends `text` and interrupts at the first event of kind `when`; every question is answered yes."""
    events = []
    async for event in walk.session.prompt(text):
        events.append(event)
        if isinstance(event, Asked):
            walk.yes(event)
        if isinstance(event, when) and not of(events, Interrupted):
            walk.session.interrupt()
    return events


async def test_in_the_middle_of_an_answer(make_walk):
    walk = await make_walk(stall(3600, after_words=3, of=say("one two three four five six")), say("next"))
    await walk.open()
    events = await interrupted(walk, "go", TextDelta)
    assert len(of(events, Interrupted)) == 1
    assert finished(events).is_error
    assert finished(await walk.say("again")).text == "next"
    assert "one" in walk.texts()[1]


async def test_on_a_full_disk(make_walk):
    walk = await make_walk(stall(30, after_words=3, of=say("one two three four five six")), say("next"))
    session = await walk.open()
    events = []
    with ExitStack() as disk:
        async for event in session.prompt("go"):
            events.append(event)
            if isinstance(event, TextDelta):
                disk.enter_context(room_for(0))
                session.interrupt()
    assert [event.failure.what for event in of(events, Failed)] == ["Not saved: the disk is full."]
    assert len(of(events, Interrupted)) == 1
    assert finished(events).terminal_reason == "aborted_streaming"
    assert finished(await walk.say("again")).text == "next"


async def test_three_parallel_calls_are_all_answered(make_walk):
    sleepers = [tool("Bash", {"command": "sleep 3600"}) for _ in range(3)]
    walk = await make_walk(calls(sleepers), say("next"))
    await walk.open()
    events = await asyncio.wait_for(interrupted(walk, "go", ToolStarted), PATIENCE)
    assert len(of(events, Interrupted)) == 1
    assert finished(events).terminal_reason == "aborted_tools"
    assert finished(await walk.say("next")).text == "next"
    answer = walk.bodies()[1]["messages"][2]["content"]
    assert [part["type"] for part in answer[:3]] == ["tool_result"] * 3
    assert all(part["is_error"] for part in answer[:3])
    assert ["may have had effects" in part["content"] for part in answer[:3]] == [True, False, False]
    assert all("was not run" in part["content"] for part in answer[1:3])


async def test_what_an_interrupted_prompt_has_spent_is_counted(make_walk):
    walk = await make_walk(call("Bash", command="sleep 3600"))
    await walk.open()
    spent = finished(await interrupted(walk, "go", ToolStarted)).cost
    assert spent > 0
    assert walk.spent() == spent


async def test_while_a_question_is_open(make_walk, project):
    walk = await make_walk(call("Bash", command="touch pwned.txt"), say("next"))
    await walk.open()
    events = []
    async for event in walk.session.prompt("go"):
        events.append(event)
        if isinstance(event, Asked):
            walk.session.interrupt()
    assert len(of(events, Interrupted)) == 1
    assert not (project / "pwned.txt").exists()
    assert finished(await walk.say("next")).text == "next"
    assert "This call was not run" in walk.texts()[-1]


async def test_what_is_told_only_once_comes_with_the_next_prompt(make_walk, project):
    (project / "sub").mkdir()
    (project / "sub" / "CLAUDE.md").write_text("NESTED-7", encoding="utf-8")
    (project / "sub" / "a.py").write_text("FILE-7", encoding="utf-8")
    hook = {"matcher": "resume", "hooks": [{"type": "command", "command": "echo HOOK-7"}]}
    flags = Flags(settings=json.dumps({"hooks": {"SessionStart": [hook]}}))
    full = say("one", usage={"input_tokens": 14_000, "output_tokens": 10})
    walk = await make_walk(
        full, stall(3600, after_words=2, of=summary("S")), summary("S"), say("two"), say("three"), window=20_000
    )
    await walk.open(flags=flags)
    await walk.say("first")
    await walk.open(flags=flags, continue_=True)
    assert of(await interrupted(walk, "look at @sub/a.py", CompactProgress), Interrupted)
    assert finished(await walk.say("look again at @sub/a.py")).text == "two"
    sent = walk.texts()[-1]
    assert [sent.count(word) for word in ("HOOK-7", "NESTED-7", "FILE-7")] == [1, 1, 1]


async def test_a_compaction_is_cancelled_and_the_history_unchanged(make_walk):
    walk = await make_walk(say("one"), stall(3600, after_words=2, of=summary("S")), say("two"))
    await walk.open()
    await walk.say("first")
    before = walk.transcript_text()
    events = await asyncio.wait_for(interrupted(walk, "/compact", CompactProgress), PATIENCE)
    assert [event.kind for event in of(events, CompactFailed)] == ["cancelled"]
    assert walk.transcript_text() == before
    assert finished(await walk.say("again")).text == "two"


async def test_a_stream_that_its_reader_leaves_is_stopped(make_walk):
    walk = await make_walk(stall(3600, after_words=2, of=say("one two three")), say("next"))
    await walk.open()
    stream = walk.session.prompt("go")
    async for event in stream:
        if isinstance(event, TextDelta):
            break
    await stream.aclose()
    assert finished(await walk.say("next")).text == "next"


async def test_what_is_queued_meanwhile_is_sent_once_and_in_order(make_walk):
    walk = await make_walk(say("one"), summary("S"), say("Q1 done"), say("Q2 done"))
    await walk.open()
    await walk.say("first")
    events = []
    async for event in walk.session.prompt("/compact"):
        events.append(event)
        if isinstance(event, CompactStarted):
            walk.session.queue("Q1")
            walk.session.queue("Q2")
    assert finished(events).text == "Q2 done"
    assert [text.count('"Q1"') for text in walk.texts()[2:]] == [1, 1]
    assert walk.session.unqueue() is None
