"""Sixty tool turns: every request begins with the bytes of the one before, and what is billed stays within the budget."""

import time
from itertools import pairwise

import msgspec
import pytest

from agent.protocol.events import Notice
from agent.rehearsal.diagnosis import _reason, fingerprint
from agent.rehearsal.models import table
from agent.rehearsal.prompt import Prompt
from agent.rehearsal.script import call, fail, reply, say, thinking, tool
from tests.support.sixty_steps import TURNS, billed, steps, values_file
from tests.walks.conftest import finished, of

FIRST, BILLED = 3_000, 110_000  # tokens; design budgets, headless


def without_marks(value):
    """What the cache compares: everything but the marks themselves."""
    if isinstance(value, dict):
        return {name: without_marks(part) for name, part in value.items() if name != "cache_control"}
    return [without_marks(part) for part in value] if isinstance(value, list) else value


def prefix_bytes(body) -> bytes:
    """Tools, system and messages as one string of bytes, open at its end."""
    parts = [body["tools"], body["system"], *body["messages"]]
    return b"\n".join(msgspec.json.encode(without_marks(part)) for part in parts)


@pytest.fixture
def file(project):
    """A hundred short lines."""
    return str(values_file(project))


async def test_sixty_tool_turns_are_append_only_and_cheap(make_walk, file):
    walk = await make_walk(*steps(file), say("done"))
    events = await walk.say("look through values.py step by step")
    assert finished(events).text == "done", finished(events)
    bodies = [prefix_bytes(body) for body in walk.bodies()]
    assert len(bodies) == TURNS + 1
    for before, after in pairwise(bodies):
        assert after.startswith(before)
    usages = [request.usage for request in walk.api.requests]
    assert usages[0]["input_tokens"] + usages[0]["cache_creation_input_tokens"] <= FIRST
    assert billed(usages) <= BILLED
    for before, after in pairwise(usages):  # all that was sent before is read, whatever the loop brought
        assert (
            after["cache_read_input_tokens"]
            == before["cache_read_input_tokens"] + before["cache_creation_input_tokens"]
        )
    assert not [notice for notice in of(events, Notice) if "re-wrote" in notice.text]


async def test_a_resume_goes_on_with_the_same_bytes(make_walk, file, project):
    walk = await make_walk(call("Read", file_path=file), say("one"), say("two"))
    await walk.say("first")
    (project / "new.txt").write_text("a change of the git status\n", encoding="utf-8")
    await walk.open(continue_=True)
    await walk.say("second")
    before, after = walk.bodies()[1], walk.bodies()[2]
    assert prefix_bytes(after).startswith(prefix_bytes(before))


async def test_in_sixty_turns_the_server_sees_no_divergence_either(make_walk, file):
    walk = await make_walk(*steps(file), say("done"))
    await walk.say("look through values.py step by step")
    asked = [body["diagnostics"] for body in walk.bodies()]
    assert asked[0] == {"previous_message_id": None}
    assert all(wish["previous_message_id"] for wish in asked[1:])
    before = [fingerprint(prompt(request)) for request in walk.api.requests]
    assert [_reason(one, other) for one, other in pairwise(before)] == [None] * TURNS


async def test_a_turn_that_writes_again_says_why_and_the_server_agrees(make_walk, file):
    walk = await make_walk(call("Read", file_path=file), say("one"), say("two"), say("three"))
    await walk.say("first")
    await walk.say("/model claude-opus-5")
    events = await walk.say("second")
    (line,) = [notice.text for notice in of(events, Notice) if "re-wrote" in notice.text]
    assert line.endswith("because the model changed.")
    assert (reason(walk, -1), logged(walk)) == ("model_changed", [("the model changed", "")])


async def test_a_clearing_is_named_and_the_server_says_the_same(make_walk, project):
    text = "".join(f"line {n} of a long file that goes on and on\n" for n in range(370))
    (project / "long.txt").write_text(text, encoding="utf-8")
    looks = [reply(thinking(f"{n}"), tool("Bash", {"command": f"cat long.txt # {n}"})) for n in range(9)]
    walk = await make_walk(*looks, say("done"), window=60_000)
    events = await walk.say("look at it nine times")
    lines = [notice.text for notice in of(events, Notice) if "re-wrote" in notice.text]
    assert [line.rpartition("because ")[2] for line in lines] == ["old tool results were cleared."]
    assert logged(walk) == [("old tool results were cleared", "")]


async def test_an_api_that_does_not_know_the_question_is_not_asked_again(make_walk, file):
    refusal = fail(400, message="diagnostics: Extra inputs are not permitted")
    walk = await make_walk(refusal, call("Read", file_path=file), say("one"), say("two"))
    assert finished(await walk.say("first")).text == "one"
    assert finished(await walk.say("second")).text == "two"
    assert ["diagnostics" in body for body in walk.bodies()] == [True, False, False, False]


async def test_a_gateway_that_tells_nothing_of_itself_is_not_asked(make_walk, file):
    walk = await make_walk(say("one"))
    known = {"window": {"max_input_tokens": 200_000, "max_tokens": 64_000}, "at": time.time()}
    folder = walk.home / ".ccagent" / "cache"
    folder.mkdir(parents=True)
    (folder / "windows.json").write_bytes(msgspec.json.encode({f"{walk.api.url} claude-sonnet-5-5": known}))
    await walk.say("first")
    assert "diagnostics" not in walk.bodies()[0]


def reason(walk, at: int) -> str:
    """Why the server's cache missed at that request, compared with the one before."""
    before, after = (fingerprint(prompt(request)) for request in (walk.api.requests[at - 1], walk.api.requests[at]))
    return _reason(before, after)["type"]


def logged(walk) -> list[tuple[str, str]]:
    """The causes of misses in the local log, each with the server's word where it contradicts."""
    lines = [line for file in (walk.home / ".ccagent" / "logs").iterdir() for line in file.read_text().splitlines()]
    records = [msgspec.json.decode(line) for line in lines]
    misses = [record for record in records if record.get("event") == "cache_miss"]
    return [(record["cause"], record["contradicted_by"]) for record in misses]


def prompt(request) -> Prompt:
    """A request as the server reads it."""
    return Prompt(dict(request.body), dict(request.headers), table()[request.body["model"]])
