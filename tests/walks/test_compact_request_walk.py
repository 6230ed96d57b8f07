"""The request for a summary: what it shares with the turn before it, what the cache then gives, and what media become when it does not fit."""

import base64
import json
import re

import pytest

from agent.protocol.events import CompactFinished
from agent.rehearsal.script import call, fail, html, reply, say, summary, text, thinking, too_long, tool
from tests.walks.conftest import finished, of
from tests.walks.test_compact_walk import without_cache_marks

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
MARKER = re.compile(r"\[image( left out)?\]")
MEDIA = '"type":"image"'


def prompt_tokens(request) -> int:
    usage = request.usage
    return usage["input_tokens"] + usage["cache_read_input_tokens"] + usage["cache_creation_input_tokens"]


def read_share(walk) -> float:
    """Of what the last turn had sent, the share that the compaction request read from the cache."""
    at = next(at for at, body in enumerate(walk.bodies()) if body == walk.compactions()[-1])
    turn, asked = walk.api.requests[at - 1], walk.api.requests[at]
    return asked.usage["cache_read_input_tokens"] / prompt_tokens(turn)


def conversation(project):
    file = str(project / "hello.py")
    (project / "long.log").write_text("a line of a log that goes on and on\n" * 300, encoding="utf-8")
    return (
        reply(thinking("hm"), tool("Read", {"file_path": file})),
        reply(thinking("and"), tool("Read", {"file_path": str(project / "long.log")})),
        reply(thinking("so"), text("It greets.")),
        say("Still so."),
    )


async def test_it_is_the_turn_and_one_more_message(make_walk, project):
    walk = await make_walk(*conversation(project), summary("S"))
    await walk.say("what does hello.py do?")
    await walk.say("sure?")
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    turn, asked = walk.bodies()[-2:]
    free = (
        "messages",
        "diagnostics",
    )  # what may differ: the second asks why the cache missed, and is no part of its key
    assert {name: asked[name] for name in asked if name not in free} == {
        name: turn[name] for name in turn if name not in free
    }  # model, system, tools, thinking, tool_choice, max_tokens, effort: to the byte
    for name in ("system", "tools", "thinking", "max_tokens"):
        assert json.dumps(asked[name]) == json.dumps(turn[name])
    assert turn.get("tool_choice") == asked.get("tool_choice")
    before = without_cache_marks(turn["messages"])
    assert without_cache_marks(asked["messages"])[: len(before)] == before
    assert len(asked["messages"]) == len(before) + 2  # the answer, and the request for a summary


@pytest.mark.parametrize("resumed", [False, True])
async def test_it_reads_what_the_turn_sent_from_the_cache(make_walk, project, resumed):
    walk = await make_walk(*conversation(project), summary("S"))
    session = await walk.open()
    await walk.say("what does hello.py do?")
    await walk.say("sure?")
    if resumed:
        await walk.open(resume=session.id)
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    assert read_share(walk) >= 0.95


async def test_in_the_middle_of_a_loop_it_reads_the_cache_as_well(make_walk, project):
    (project / "long.log").write_text("a line of a log that goes on and on\n" * 420, encoding="utf-8")
    read = reply(thinking("hm"), tool("Read", {"file_path": str(project / "long.log")}))
    walk = await make_walk(say("ready"), *[read] * 4, summary("S"), say("done"), window=20_000)
    await walk.open(env={"DISABLE_MICROCOMPACT": "1"})
    await walk.say("hello")
    events = await walk.say("look at the log")
    assert [event.receipt.trigger for event in of(events, CompactFinished)] == ["auto"]
    assert read_share(walk) >= 0.95


# ---- images and documents


async def pictures(make_walk, project, *replies, window=None):
    (project / "picture.png").write_bytes(PNG)
    walk = await make_walk(
        say("ready " * 200), call("Read", file_path=str(project / "picture.png")), say("a dot"), *replies, window=window
    )
    await walk.say("hello")
    await walk.say("what is in the picture?")
    assert MEDIA in walk.texts()[-1]
    return walk


async def test_media_stay_in_place_in_the_first_request(make_walk, project):
    walk = await pictures(make_walk, project, summary("a dot was seen"), say("on"))
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    assert MEDIA in walk.texts()[-1]
    assert not MARKER.search(walk.texts()[-1])
    await walk.say("go on")
    assert MEDIA not in walk.texts()[-1]


@pytest.mark.parametrize(
    "refusal",
    [
        html(413),
        fail(400, message="Too much media: 0 document pages + 102 images > 100"),
        too_long(201_000, 200_000),
    ],
)
async def test_media_become_markers_only_when_the_request_was_refused(make_walk, project, refusal):
    walk = await pictures(make_walk, project, refusal, summary("a dot was seen"), say("on"))
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    first, second = walk.texts()[-2:]
    assert MEDIA in first
    assert MEDIA not in second
    assert MARKER.search(second)
    assert not finished(await walk.say("go on")).is_error


async def test_media_become_markers_where_the_record_is_sent_as_text(make_walk, project):
    walk = await pictures(make_walk, project, say(" "), summary("a dot was seen"))
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    assert MEDIA in walk.texts()[-2]
    assert MEDIA not in walk.texts()[-1]
    assert MARKER.search(walk.texts()[-1])
