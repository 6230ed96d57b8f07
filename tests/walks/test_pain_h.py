"""What users of other agents suffered from their transcripts (their reports by number): none of it here. Kills are in test_crash_walk.py."""

import hashlib
import json
import resource
from itertools import pairwise
from pathlib import Path

import pytest

from agent.protocol.events import CompactFinished, Failed, Notice, PromptAccepted
from agent.rehearsal.script import call, fail, reply, say, summary, thinking, tool
from tests.walks.conftest import finished, of, used

TURNS = 12


def file_of(walk) -> Path:
    """The transcript."""
    return Path(walk.session.status().transcript)


async def recorded(make_walk, turns=TURNS, *more):
    """A closed session of numbered turns, and a walk over it."""
    walk = await make_walk(*[say(f"answer {n:02}") for n in range(turns)], *more)
    for n in range(turns):
        await walk.say(f"prompt {n:02}")
    path = file_of(walk)
    await walk.session.close()
    walk.session = None
    return walk, path


def notices(events) -> str:
    return "\n".join(event.text for event in of(events, Notice))


async def opening_notices(walk) -> str:
    """What a session says on its own account, until it is closed."""
    told = walk.session.events()
    await walk.session.close()
    return "\n".join([event.text async for event in told if isinstance(event, Notice)])


# ---- 63: damage is healed, and said


def cut_last(lines):
    return [*lines[:-1], lines[-1][: len(lines[-1]) // 2]], 1, "cut off"


def garbage(lines):
    return [*lines[:9], b"\x8f\x02 no json {{{\n", *lines[10:]], 1, "1 line could not be read"


def blank(lines):
    return [*lines[:9], b"\n", b"   \n", *lines[9:]], 0, ""


def nuls(lines):
    return [*lines[:9], b"\0" * 4_096 + b"\n", *lines[9:]], 0, ""


def number(lines):
    return [*lines[:5], b"42\n", *lines[5:]], 0, "1 line could not be read"


def fused(lines):
    return [*lines[:9], lines[9].rstrip(b"\n"), *lines[10:]], 0, ""


@pytest.mark.parametrize("damage", [cut_last, garbage, blank, nuls, number, fused])
async def test_63_every_other_turn_is_sent_and_the_damage_is_named(make_walk, damage):
    walk, path = await recorded(make_walk, TURNS, say("on"))
    lines, lost, words = damage(path.read_bytes().splitlines(keepends=True))
    data = b"".join(lines)
    path.write_bytes(data)
    await walk.open(continue_=True)
    events = await walk.say("go on")
    assert finished(events).text == "on"
    sent = walk.texts()[-1]
    there = [n for n in range(TURNS) if f"prompt {n:02}" in sent] + [
        n for n in range(TURNS) if f"answer {n:02}" in sent
    ]
    assert len(there) == 2 * TURNS - lost
    told = notices(events) + await opening_notices(walk)
    assert words in told
    assert path.read_bytes().startswith(data)


async def test_63_a_damaged_tail_costs_one_notice_and_not_one_each_time(make_walk):
    walk, path = await recorded(make_walk, 2, say("on"), say("and on"))
    path.write_bytes(path.read_bytes()[:-40])
    for text_ in ("on", "and on"):
        await walk.open(continue_=True)
        assert finished(await walk.say(f"prompt for {text_}")).text == text_
    assert "prompt for on" in walk.texts()[-1]  # it was not glued to the half line
    (bad,) = [line for line in path.read_bytes().splitlines() if not is_record(line)]
    assert b"prompt for on" not in bad


def is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


# ---- 64: old bytes stay


async def test_64_no_old_byte_changes_whatever_is_done(make_walk):
    walk, path = await recorded(make_walk, 4, say("a"), summary("SUM"), say("b"), say("c"), say("d"))
    seen = [path.read_bytes()]

    async def step(words):
        await walk.say(words)
        seen.append(path.read_bytes())

    await walk.open(continue_=True)
    for words in (
        "one",
        "/compact",
        "two",
        "/compact undo",
        "three",
        "/rewind 1",
        "/rename New",
        "four",
        "/rewind undo",
    ):
        await step(words)
    await walk.open(continue_=True)
    seen.append(path.read_bytes())
    for before, after in pairwise(seen):
        assert hashlib.sha256(after[: len(before)]).digest() == hashlib.sha256(before).digest()
    assert b"prompt 00" in seen[-1] and b"SUM" in seen[-1]


# ---- 65: a full disk


@pytest.fixture
def unlimited():
    """The file size limit is lifted afterwards, whatever happens."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield before
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_65_an_outage_is_said_at_each_turn_and_leaves_no_trace(make_walk, unlimited):
    walk = await make_walk(say("one"), *[say("on")] * 4)
    await walk.say("before")
    path = file_of(walk)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 100, unlimited[1]))
    for prompt in ("lost 1", "lost 2"):
        events = await walk.say(prompt)
        (failed,) = of(events, Failed)
        assert failed.failure.what == "Not saved: the disk is full."
        assert finished(events).is_error
    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert len(walk.bodies()) == 1  # what is not on record is not sent
    for prompt in ("after 1", "after 2"):
        assert finished(await walk.say(prompt)).text == "on"
    await walk.open(continue_=True)
    assert all(is_record(line) for line in path.read_bytes().splitlines())
    assert [event.text for event in of(list(walk.session.history()), PromptAccepted)] == [
        "before",
        "after 1",
        "after 2",
    ]
    assert finished(await walk.say("resumed")).text == "on"
    assert "lost" not in walk.texts()[-1]


# ---- 66: errors are not swallowed


async def test_66_a_folder_that_cannot_be_written_is_said_at_once(make_walk):
    walk = await make_walk(say("one"), say("two"))
    session = await walk.open()
    folder = file_of(walk).parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        folder.rename(folder.with_name("away"))
    folder.write_text("a file in the folder's place")
    events = await walk.say("hello")
    (failed,) = of(events, Failed)
    assert failed.failure.what
    assert walk.bodies() == []
    folder.unlink()
    assert finished(await walk.say("again")).text == "one"
    assert file_of(walk).exists()
    assert session.id == file_of(walk).stem


# ---- 67: what a resume after a compaction brings


@pytest.mark.parametrize("how", ["manual", "auto"])
async def test_67_the_summary_and_what_followed_it_are_resumed(make_walk, how):
    last = say("answer 04", usage=used(14_000) if how == "auto" else None)
    walk = await make_walk(
        *[say(f"answer {n:02}") for n in range(4)],
        last,
        summary("SUM-42"),
        *[say(f"later {n}") for n in range(2)],
        say("on"),
        window=20_000,
    )
    for n in range(5):
        await walk.say(f"prompt {n:02}")
    if how == "manual":
        assert of(await walk.say("/compact"), CompactFinished)
    await walk.say("after one")
    await walk.say("after two")
    before = walk.session.reading().used
    await walk.open(continue_=True)
    assert walk.session.reading().used == before
    assert finished(await walk.say("go on")).text == "on"
    sent = walk.texts()[-1]
    for words in ("SUM-42", "after one", "later 0", "after two", "later 1"):
        assert words in sent
    assert not [n for n in range(5) if f"answer {n:02}" in sent]
    target = walk.project / "whole.md"
    await walk.say(f"/export {target}")
    document = target.read_text()
    assert all(f"answer {n:02}" in document for n in range(5)) and "SUM-42" in document


# ---- 69: a resume writes next to nothing


async def test_69_resuming_and_leaving_twenty_times_writes_nothing(make_walk):
    walk, path = await recorded(make_walk, 3)
    before = path.read_bytes()
    for _ in range(20):
        await walk.open(continue_=True)
        assert len(walk.session.history()) > 3
    await walk.session.close()
    assert path.read_bytes() == before
    assert [item.name for item in path.parent.glob("*.jsonl")] == [path.name]


# ---- and a request that fails


async def test_a_failed_request_leaves_the_history_as_it_was(make_walk):
    bad = fail(400, message="something new that the API does not like")
    think = reply(thinking("t"), tool("Bash", {"command": "true"}))
    walk = await make_walk(think, call("Bash", command="false"), say("done"), bad, say("on"))
    await walk.say("go")
    before = file_of(walk).read_bytes()
    assert finished(await walk.say("refused")).is_error
    assert file_of(walk).read_bytes().startswith(before)
    await walk.open(continue_=True)
    assert finished(await walk.say("again")).text == "on"


# ---- what the model is sent is what the person can see


async def test_every_word_that_is_sent_is_on_the_screen_too(make_walk, project):
    look = reply(thinking("THOUGHT"), tool("Read", {"file_path": str(project / "hello.py")}))
    walk = await make_walk(
        *(look, say("answer one"), say("answer two"), summary("SUM-1"), say("answer three")),
        *(look, say("answer four"), say("answer five"), say("answer six")),
    )
    for words in ("one", "two", "/compact", "three", "four", "/compact undo", "five", "/rewind 2", "six"):
        await walk.say(words)
    await agree(walk)
    await walk.open(continue_=True)
    await agree(walk)


async def agree(walk) -> None:
    """The texts, calls and results of the last request stand in the history that a face shows, in the same order."""
    shown = json.dumps([str(event) for event in walk.session.history()])
    sent = [part for message in walk.bodies()[-1]["messages"] for part in message["content"]]
    at = 0
    for part in sent:
        words = {"text": part.get("text"), "tool_use": part.get("id"), "tool_result": None, "thinking": None}[
            part["type"]
        ]
        if words and not words.startswith("<system-reminder>"):
            found = shown.find(json.dumps(words)[1:-1], at)
            assert found >= at, words
            at = found
