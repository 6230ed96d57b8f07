"""Every script that comes along, played through the whole engine: each shows what it says it shows, and no request is illegal."""

from pathlib import Path

import pytest

from agent.protocol.asks import Answer, Ask, Permission
from agent.protocol.events import (
    CompactFailed,
    CompactFinished,
    Event,
    Interrupted,
    Notice,
    TextDelta,
    ToolFinished,
    ToolStarted,
)
from agent.rehearsal.recorded_session import script_of
from agent.rehearsal.toml_script import names, open_script, read_script
from tests.walks.conftest import Walk, finished, of


def inside(ask: Ask) -> Answer:
    """Yes to what happens in the project, no to what happens elsewhere."""
    return Answer("deny" if isinstance(ask, Permission) and "outside" in ask.title else "once")


async def play(make_walk, name: str, *prompts: str) -> tuple[Walk, list[list[Event]]]:
    script = open_script(name)
    walk = await make_walk(script, window=script.window, offline_model=True)
    return walk, [await walk.say(prompt, inside) for prompt in prompts]


async def stopped(walk: Walk, prompt: str, at: type[Event]) -> list[Event]:
    """The events of a prompt that is interrupted at the first event of this kind."""
    session = walk.session or await walk.open()
    events: list[Event] = []
    async for event in session.prompt(prompt):
        if isinstance(event, at) and not of(events, at):
            session.interrupt()
        events.append(event)
        walk.settle(event)
    return events


def told(events: list[Event]) -> str:
    lines = [*(note.text for note in of(events, Notice)), *(failed.reason for failed in of(events, CompactFailed))]
    return "\n".join([finished(events).text, finished(events).error, *lines])


def test_no_script_is_left_out() -> None:
    walked = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert set(names()) - walked == set()


async def test_tour(make_walk, project):
    walk, (first, then) = await play(make_walk, "tour", "show me", "read rehearsal-tour.txt")
    assert [event.name for event in of(first, ToolFinished)] == ["Glob", "Write", "Bash"]
    assert [ask.tool for ask in walk.asked] == ["Write", "Bash"], "what it says is asked about is asked about"
    assert finished(first).text.startswith("That was the tour.")
    assert (project / "rehearsal-tour.txt").read_text() == "one\ntwo\nthree\n"
    assert "three" in finished(then).text


async def test_permissions(make_walk, project):
    walk, (events,) = await play(make_walk, "permissions", "go")
    assert [event.output.is_error for event in of(events, ToolFinished)] == [False, False, False, False, False, True]
    assert [denial.tool_name for denial in finished(events).permission_denials] == ["Write"]
    assert [ask.tool for ask in walk.asked] == ["Write", "Bash", "Bash", "Write"]
    assert not Path("/tmp/rehearsal-outside.txt").exists()


async def test_interrupt(make_walk):
    walk, _ = await play(make_walk, "interrupt")
    assert of(await stopped(walk, "speak", TextDelta), Interrupted)
    assert of(await stopped(walk, "run", ToolStarted), Interrupted)
    assert finished(await walk.say("and now?")).text == "Here we are again; nothing was lost."


async def test_long_answer(make_walk):
    _, (long, odd) = await play(make_walk, "long_answer", "go", "go")
    assert len(finished(long).text.split()) >= 8_000
    assert "Größe 世界 🎉" in finished(odd).text


async def test_auto_compact(make_walk):
    _, answers = await play(make_walk, "auto_compact", *["more"] * 8)
    receipts = [event.receipt for events in answers for event in of(events, CompactFinished)]
    assert receipts
    assert {receipt.trigger for receipt in receipts} == {"auto"}
    assert not any(finished(events).is_error for events in answers)


async def test_too_long(make_walk):
    _, (_, second) = await play(make_walk, "too_long", "first", "second")
    assert finished(second).text == "That went through, after a compaction."
    assert len(of(second, CompactFinished)) == 1


async def test_breaker(make_walk):
    _, answers = await play(make_walk, "breaker", *["go"] * 6)
    failures = [len(of(events, CompactFailed)) for events in answers]
    assert sum(failures) == 3, "the breaker opens at the third"
    assert failures[-1] == 0
    assert "Automatic compaction failed three times in a row" in told(answers[3])


async def test_thrash(make_walk):
    _, answers = await play(make_walk, "thrash", *["go"] * 8)
    assert "thrash" in "\n".join(map(told, answers)).lower()
    compacted = [bool(of(events, CompactFinished)) for events in answers]
    assert not compacted[-1]


@pytest.mark.parametrize("name", ["tour", "permissions"])
async def test_a_session_on_record_is_a_script_that_plays_the_same(make_walk, project, tmp_path, name):
    walk, (events,) = await play(make_walk, name, "go")
    record = Path(walk.session.status().transcript)
    again = await make_walk(read_script(script_of(record).encode(), record.name))
    assert finished(await again.say("go", inside)).text == finished(events).text
    same = [
        [block for message in each.bodies()[-1]["messages"] for block in message["content"]] for each in (walk, again)
    ]
    calls = [[block["input"] for block in blocks if block["type"] == "tool_use"] for blocks in same]
    assert calls[0] == calls[1] != []
