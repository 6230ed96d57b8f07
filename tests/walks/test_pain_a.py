"""What users of other agents suffered when the request for a summary failed (their reports by number): none of it here."""

import json
from pathlib import Path

import msgspec
import pytest

from agent.api import Flags
from agent.protocol.events import CompactFailed, CompactFinished, CompactProgress, CompactStarted, Notice
from agent.protocol.meter import Level
from agent.rehearsal.script import (
    call,
    drop,
    fail,
    html,
    redacted,
    reply,
    say,
    summary,
    text,
    thinking,
    too_long,
    tool,
)
from tests.walks.conftest import finished, of, used

SERVER_ERROR = fail(500, headers={"x-should-retry": "false"})
"""A failure that is not worth another attempt, so that tests need not wait for one."""


def notes(events) -> str:
    """What was shown while it compacted."""
    return "\n".join(event.note for event in of(events, CompactProgress) if event.note)


def long_file(project: Path, name: str, characters: int) -> str:
    """A file of that size in the project; lines like those of a log."""
    line = f"{name}: a line of a log that goes on and on\n"
    (project / name).write_text("START\n" + line * (characters // len(line)) + "END\n", encoding="utf-8")
    return str(project / name)


# ---- 1: the summarising request is as long as what was refused


async def test_01_the_compaction_that_is_too_long_gets_smaller_and_goes_through(make_walk, project):
    turns = [r for n in range(12) for r in (call("Read", file_path=long_file(project, f"{n}.log", 5_000)), say("ok"))]
    walk = await make_walk(*turns, too_long(21_500, 20_000), too_long(21_500, 20_000), summary("S"), say("hi back"))
    await walk.open(env={"DISABLE_AUTO_COMPACT": "1"}, interactive=False)  # -p, and the reactive path is off there:
    (walk.home / ".ccagent").mkdir(exist_ok=True)
    (walk.home / ".ccagent" / "settings.json").write_text(json.dumps({"reactiveCompactRemote": False}))
    await walk.open(env={"DISABLE_AUTO_COMPACT": "1"}, interactive=False)
    for n in range(12):
        await walk.say(f"read number {n}")
    assert finished(await walk.say("one more")).terminal_reason == "prompt_too_long"
    events = await walk.say("/compact")
    assert len(of(events, CompactFinished)) == 1, finished(events)
    first, second = walk.compactions()
    assert len(msgspec.json.encode(second["messages"])) < len(msgspec.json.encode(first["messages"])) - 21_500 // 5
    assert finished(await walk.say("hi")).text == "hi back"
    assert "read number 0" in walk.texts()[-1]


async def test_01_a_conversation_far_beyond_a_real_window_is_compacted_without_a_wasted_request(make_walk, project):
    wide = await make_walk(
        *[r for n in range(8) for r in (call("Read", file_path=long_file(project, f"{n}.log", 12_000)), say("ok"))]
    )
    for n in range(8):
        await wide.say(f"read number {n} FACT-{n}")
    await wide.session.close()
    narrow = await make_walk(summary("S"), say("hi back"), window=20_000)
    await narrow.open(resume=wide.session.id)
    events = await narrow.say("/compact")
    assert len(of(events, CompactFinished)) == 1, finished(events)
    assert "shortening" in notes(events)
    assert [request.status for request in narrow.api.requests] == [200]
    assert finished(await narrow.say("hi")).text == "hi back"
    assert "FACT-0" in narrow.texts()[-1]


# ---- 2, 3, 18: the output allowance follows one rule


async def test_02_the_answer_s_allowance_leaves_room_for_the_input(make_walk):
    walk = await make_walk(say("word " * 6_000), say("word " * 2_800), summary("S"), say("on"), window=20_000)
    flags = Flags(model="claude-opus-4-1")  # refuses input + max_tokens beyond its window
    await walk.open(flags=flags, env={"DISABLE_AUTO_COMPACT": "1"})
    await walk.say("tell me much")
    await walk.say("and more")
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    assert [request.status for request in walk.api.requests] == [200, 200, 200]
    assert walk.compactions()[0]["max_tokens"] <= 20_000 - walk.api.requests[2].usage["input_tokens"]


@pytest.mark.parametrize(("window", "cap"), [(None, 8_192), (20_000, 20_000)])
async def test_03_18_turn_and_compaction_share_the_cap(make_walk, window, cap):
    walk = await make_walk(say("one"), summary("S"), window=window, max_output=cap)
    await walk.say("hi")
    await walk.compact()
    turn, asked = (body["max_tokens"] for body in walk.bodies())
    assert 0 < asked <= turn <= cap
    if window is None:
        assert asked == turn == cap
    else:
        assert turn < window - 2_000
    assert len(walk.compactions()) == 1


# ---- 4: signed thinking


@pytest.mark.parametrize("thought", [thinking("a \u2028 b  "), redacted("hidden")])
async def test_04_thinking_is_replayed_byte_exact(make_walk, project, thought):
    walk = await make_walk(
        reply(thought, tool("Read", {"file_path": str(project / "hello.py")})),
        reply(thinking("b"), text("It greets.")),
        summary("S"),
        reply(thinking("c"), text("on")),
    )
    await walk.say("look")
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    assert finished(await walk.say("go on")).text == "on"
    assert all(request.status == 200 for request in walk.api.requests)


async def test_04_a_live_prefix_that_the_api_refuses_is_summarised_as_text(make_walk):
    refusal = (
        "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation"
    )
    walk = await make_walk(say("one"), fail(400, message=refusal), summary("S"), say("on"))
    await walk.say("hi")
    events = await walk.say("/compact")
    assert len(of(events, CompactFinished)) == 1, finished(events)
    assert "tools" not in walk.compactions()[1]
    assert finished(await walk.say("go on")).text == "on"


# ---- 5, 6: drops and gateways


@pytest.mark.parametrize("lost", [drop(900), html(504)])
async def test_05_06_two_lost_requests_are_seen_and_outlived(make_walk, lost):
    walk = await make_walk(say("one FACT-7f3"), lost, lost, summary("S"))
    await walk.say("remember FACT-7f3")
    before = walk.transcript_text()
    events = await walk.say("/compact")
    assert len(of(events, CompactFinished)) == 1, finished(events)
    assert notes(events).count("Trying again") == 2
    assert "<" not in notes(events)
    assert walk.transcript_text().startswith(before)


async def test_05_06_after_three_the_history_is_whole(make_walk):
    walk = await make_walk(say("one"), html(504), drop(900), html(504), say("still here"))
    await walk.say("remember FACT-7f3")
    before = walk.transcript_text()
    events = await walk.say("/compact")
    assert finished(events).is_error
    assert "<" not in finished(events).error
    assert walk.transcript_text() == before
    assert finished(await walk.say("and?")).text == "still here"
    assert "remember FACT-7f3" in walk.texts()[-1]
    assert "one" in walk.texts()[-1]


# ---- 7: nothing is dropped when the summary fails


async def test_07_a_failing_automatic_compaction_changes_nothing(make_walk, project):
    mark = project / "post.txt"
    command = {"hooks": {"PostCompact": [{"hooks": [{"type": "command", "command": f"touch {mark}"}]}]}}
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(json.dumps(command), encoding="utf-8")
    walk = await make_walk(say("noted", usage=used(14_000)), SERVER_ERROR, say("two"), window=20_000)
    await walk.open(flags=Flags(trust=True))
    await walk.say("FACT-7f3 is the port")
    events = await walk.say("second")
    assert finished(events).text == "two"
    assert of(events, CompactFailed)[0].kind == "failed"
    assert "FACT-7f3 is the port" in walk.texts()[-1]
    assert "noted" in walk.texts()[-1]
    assert not mark.exists()


# ---- 8: answers that are no summary (see also test_bad_summariser.py)


async def test_08_what_is_no_summary_is_refused_once_and_then_told(make_walk, project):
    touch = reply(tool("Bash", {"command": "touch pwned.txt"}))
    walk = await make_walk(say("one"), touch, reply(thinking("only")))
    await walk.say("hi")
    before = walk.transcript_text()
    events = await walk.say("/compact")
    assert "called a tool" in notes(events)
    assert "no text" in of(events, CompactFailed)[0].reason
    assert walk.transcript_text() == before
    assert not (project / "pwned.txt").exists()
    assert len(walk.compactions()) == 2


# ---- 10: one giant round, which cannot be dropped


async def test_10_the_middle_of_giant_results_is_left_out(make_walk, project):
    reads = [tool("Read", {"file_path": long_file(project, f"{n}.log", 45_000)}) for n in range(6)]
    wide = await make_walk(reply(*reads), say("seen"))
    await wide.say("look at all of them FACT-10")
    sent = msgspec.json.encode(wide.bodies()[1])
    assert len(sent) > 200_000
    await wide.session.close()
    narrow = await make_walk(
        fail(400, message="Input is too long for requested model."), summary("S"), say("on"), window=60_000
    )
    await narrow.open(resume=wide.session.id)
    events = await narrow.say("/compact")
    assert len(of(events, CompactFinished)) == 1, finished(events)
    assert len(msgspec.json.encode(narrow.bodies()[0])) < len(sent) // 2
    assert "characters left out" in narrow.texts()[0]
    assert not of(events, CompactFinished)[0].receipt.extractive
    assert finished(await narrow.say("go on")).text == "on"


# ---- 11: nothing to shrink


@pytest.mark.parametrize("more", [0, 1_000])
async def test_11_what_no_compaction_can_shrink_starts_none(make_walk, more):
    """The threshold is 2,680: system and tools alone take most of it, or more than all of it."""
    walk = await make_walk(say("one"), say("two"), say("three"))
    env = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "4000"}
    session = await walk.open(env=env, append_system_prompt="rule " * more)
    await session.start()
    assert (session.reading().level is Level.AUTO_COMPACT) == bool(more)
    for prompt in ("first", "second", "third"):
        events = await walk.say(prompt)
        assert not finished(events).is_error, finished(events)
        assert of(events, CompactStarted) == of(events, CompactFailed) == []
    assert walk.compactions() == []
    floors = [event async for event in _background(walk) if isinstance(event, Notice)]
    assert sum("no compaction can shrink them" in " ".join(event.text.split()) for event in floors) == 1


async def _background(walk):
    """What belonged to no prompt, so far."""
    stream = walk.session.events()
    await walk.session.close()
    async for event in stream:
        yield event
