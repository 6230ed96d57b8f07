"""What users of other agents suffered from histories that the API refuses and from calls cut short (their reports by number): none of it here."""

import asyncio
import struct
import zlib
from itertools import takewhile
from pathlib import Path

import msgspec
import pytest

from agent.protocol.events import Asked, CompactFinished, Failed, Interrupted, Notice, ToolFinished, ToolStarted
from agent.rehearsal.script import call, calls, drop, fail, reply, say, summary, text, thinking, tool
from tests.support.patience import PATIENCE
from tests.walks.conftest import finished, of

ODD = 'a \u2028 b \U0001f9ea "\\u00e9" é  '  # separators, emoji, an escape that is text, trailing spaces


def messages(walk, at=-1):
    """The messages of a request."""
    return walk.bodies()[at]["messages"]


def blocks(walk, role, at=-1):
    """All blocks of one role in a request."""
    return [part for message in messages(walk, at) if message["role"] == role for part in message["content"]]


def statuses(walk):
    """How the server answered."""
    return [request.status for request in walk.api.requests]


# ---- 42, 43: a call without a result


@pytest.mark.parametrize("number", [1, 3])
async def test_42_interrupted_calls_are_answered_before_what_is_said_next(make_walk, number):
    walk = await make_walk(calls([tool("Bash", {"command": "sleep 3600"}) for _ in range(number)]), say("on"))
    session = await walk.open()
    events = []
    async with asyncio.timeout(PATIENCE):
        async for event in session.prompt("sleep"):
            events.append(event)
            if isinstance(event, Asked):
                walk.yes(event)
            if isinstance(event, ToolStarted):
                session.interrupt()
    assert len(of(events, Interrupted)) == 1
    assert finished(await walk.say("next")).text == "on"
    assert statuses(walk) == [200, 200]
    answer = messages(walk)[-1]["content"]
    assert [part["type"] for part in answer[:number]] == ["tool_result"] * number
    assert all(part["is_error"] for part in answer[:number])
    assert answer[-1]["text"] == "next"


async def test_42_interrupted_twice_in_a_row_and_before_any_word(make_walk):
    walk = await make_walk(call("Bash", command="sleep 3600"), call("Bash", command="sleep 3601"), say("on"))
    session = await walk.open()
    for prompt in ("one", "two"):
        async for event in session.prompt(prompt):
            if isinstance(event, Asked):
                session.interrupt()  # while the question is open
    assert finished(await walk.say("three")).text == "on"
    assert statuses(walk) == [200, 200, 200]


# 43 with a real kill -9: tests/walks/test_crash_walk.py


def end_before_the_result(path: Path) -> None:
    """The transcript as a kill during the call leaves it."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(takewhile(lambda line: b'"tool_use_id"' not in line, lines)))


async def test_43_a_record_that_ends_in_an_open_call_is_resumed_and_said(make_walk):
    walk = await make_walk(call("Bash", command="true"), say("one"), say("on"))
    await walk.say("go")
    path = walk.session.status().transcript
    await walk.session.close()
    walk.session = None
    end_before_the_result(Path(path))
    await walk.open(continue_=True)
    assert interrupted_calls(walk) == ["Bash true"]  # to be checked: on the screen before anything is sent
    events = await walk.say("go on")
    assert finished(events).text == "on"
    assert [notice.text for notice in of(events, Notice) if "without a result" in notice.text]
    assert "check before repeating" in walk.texts()[-1]
    await walk.open(continue_=True)
    assert interrupted_calls(walk) == ["Bash true"]  # and still once, with an answer behind it


def interrupted_calls(walk) -> list[str]:
    """The calls that the history shows as without a result."""
    shown = of(list(walk.session.history()), ToolFinished)
    return [event.title for event in shown if event.output.is_error and "No result was recorded" in event.output.text]


# ---- 44: a call cut in the middle of its JSON


@pytest.mark.parametrize("where", [700, 900, 1_100])
async def test_44_a_stream_that_dies_in_a_call_leaves_no_half_call(make_walk, project, where):
    content = "A" * 900
    half = reply(text("I write it."), tool("Write", {"file_path": str(project / "a.txt"), "content": content}))
    walk = await make_walk(drop(where, of=half), say("instead"), say("on"))
    events = await walk.say("write it")
    assert finished(events).text == "instead"
    assert not (project / "a.txt").exists()
    assert of(events, ToolFinished) == []
    assert finished(await walk.say("go on")).text == "on"
    assert not [part for part in blocks(walk, "assistant") if part["type"] == "tool_use"]
    assert set(statuses(walk)) == {200}


# ---- 46: blank texts


async def test_46_no_blank_block_is_ever_sent(make_walk):
    walk = await make_walk(
        reply(),
        say("\n\n"),
        call("Bash", command="true"),
        say(" "),
        say("real"),
        reply(thinking("only"), text("\u3000\n")),
        say("end"),
    )
    for prompt in ("one", "two", "three", "four", "five", "six"):
        await walk.say(prompt)
    assert statuses(walk) == [200] * 7
    results = [part for part in blocks(walk, "user") if part["type"] == "tool_result"]
    assert [part["content"] for part in results] == ["(no output)"]
    assert all(
        part["text"].strip() for role in ("user", "assistant") for part in blocks(walk, role) if part["type"] == "text"
    )


async def test_46_also_after_a_compaction_and_a_resume(make_walk):
    walk = await make_walk(say("one"), reply(), summary("S"), say("\n"), say("on"))
    await walk.say("first")
    await walk.say("second")
    assert of(await walk.say("/compact"), CompactFinished)
    await walk.say("third")
    await walk.open(continue_=True)
    assert finished(await walk.say("fourth")).text == "on"
    assert statuses(walk) == [200] * 5


@pytest.mark.parametrize("prompt", ["", " ", "\n\t\n"])
async def test_46_a_blank_prompt_bricks_nothing(make_walk, prompt):
    walk = await make_walk(*[say("ok")] * 2)
    await walk.say("first")
    events = await walk.say(prompt)
    assert [event.failure.what for event in of(events, Failed)] == ["The prompt is empty."]
    assert finished(await walk.say("second")).text == "ok"
    assert set(statuses(walk)) == {200}


# ---- 47: signed thinking


async def test_47_thinking_is_replayed_byte_for_byte_also_after_a_resume(make_walk, project):
    path = str(project / "hello.py")
    walk = await make_walk(
        reply(
            thinking(ODD, pad=2_048),
            tool("Read", {"file_path": path}),
            thinking(f"{ODD} again"),
            tool("Bash", {"command": "true", "description": ODD}),
        ),
        reply(thinking(f"{ODD}{ODD}"), text(ODD)),
        say("on"),
        say("and on"),
    )
    await walk.say(f"look {ODD}")
    sent = [part for part in blocks(walk, "assistant", 1) if part["type"] != "text"]
    assert [part["type"] for part in sent] == ["thinking", "tool_use", "thinking", "tool_use"]
    await walk.say("go on")
    await walk.open(continue_=True)
    assert finished(await walk.say("still there?")).text == "and on"
    assert [part for part in blocks(walk, "assistant") if part["type"] != "text"][:4] == sent
    assert sent[0]["thinking"] == ODD and len(sent[0]["signature"]) > 2_000
    assert statuses(walk) == [200] * 4  # the server compares what it streamed byte by byte


# ---- 48, 49: the output limit


async def test_48_a_call_cut_at_the_limit_never_runs_and_stops_at_the_second_time(make_walk, project):
    target = project / "a.txt"
    cut = reply(tool("Write", {"file_path": str(target), "content": "A" * 400}, cut=120), stop_reason="max_tokens")
    walk = await make_walk(cut, cut, say("smaller"))
    events = await walk.say("write a.txt")
    assert not target.exists()
    assert of(events, ToolFinished) == []
    assert len(walk.bodies()) == 2
    assert "cut at the output limit" in walk.texts()[1]
    assert "reached the output limit twice" in of(events, Notice)[-1].text
    assert finished(await walk.say("in small steps")).text == "smaller"
    assert statuses(walk) == [200] * 3


async def test_48_whole_calls_before_the_cut_one_run_and_the_model_is_told_of_the_cut(make_walk, project):
    target = project / "a.txt"
    target.write_text("mine")
    cut = reply(
        tool("Bash", {"command": "echo ran"}),
        tool("Write", {"file_path": str(target), "content": "A" * 400}, cut=120),
        stop_reason="max_tokens",
    )
    walk = await make_walk(cut, say("smaller"))
    events = await walk.say("write a.txt")
    assert finished(events).text == "smaller"
    assert [one.name for one in of(events, ToolFinished)] == ["Bash"]
    assert target.read_text() == "mine"
    assert "cut at the output limit" in walk.texts()[1]
    assert statuses(walk) == [200, 200]


async def test_49_text_over_the_limit_is_continued_once_and_kept(make_walk):
    walk = await make_walk(
        say("part one", stop_reason="max_tokens"), say("part two", stop_reason="max_tokens"), say("on")
    )
    events = await walk.say("tell me all")
    assert len(walk.bodies()) == 2
    assert "Ask for a smaller step" in of(events, Notice)[-1].text
    assert finished(await walk.say("go on")).text == "on"
    said = [part["text"] for part in blocks(walk, "assistant")]
    assert said == ["part one", "part two"]


# ---- 50: too many bytes


def picture(size: int) -> bytes:
    """A real PNG of at least `size` bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + bytes(32 * 3)) * 32)
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 32, 32, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"prIv", b"x" * size) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


async def test_50_a_picture_that_makes_the_request_too_large_goes_and_the_conversation_stays(make_walk, project):
    (project / "big.png").write_bytes(picture(1_200_000))
    see = call("Read", file_path=str(project / "big.png"))
    walk = await make_walk(see, fail(413), summary("S"), say("without it"), say("on"))
    events = await walk.say("look at big.png")
    assert finished(events).text == "without it"
    (told,) = [notice.text for notice in of(events, Notice) if notice.text.startswith("The API says")]
    assert "images and documents count" in told  # the meter is nearly empty: nothing is "too long"
    assert "image" in {part["type"] for part in parts_of_results(walk, 1)}
    await walk.open(continue_=True)
    assert finished(await walk.say("go on")).text == "on"
    assert all(len(msgspec.json.encode(body)) < 1_000_000 for body in walk.bodies()[2:])


@pytest.mark.parametrize("how", ["read", "mentioned"])
async def test_50_a_compaction_sends_no_picture(make_walk, project, how):
    (project / "big.png").write_bytes(picture(1_200_000))
    see = [call("Read", file_path=str(project / "big.png"))] if how == "read" else []
    walk = await make_walk(*see, say("seen"), fail(413), summary("S"), say("on"))
    await walk.say("look at big.png" if how == "read" else "look at @big.png")
    assert "image/png" in walk.texts()[-1]
    events = await walk.say("/compact")
    assert len(of(events, CompactFinished)) == 1, finished(events)
    assert finished(await walk.say("go on")).text == "on"
    refused, asked, after = (len(msgspec.json.encode(body)) for body in walk.bodies()[-3:])
    assert asked < 1_000_000 < refused and after < 1_000_000


def parts_of_results(walk, at):
    """What stands inside the tool results of a request."""
    results = [part for part in blocks(walk, "user", at) if part["type"] == "tool_result"]
    return [part for result in results if isinstance(result["content"], list) for part in result["content"]]
