"""Sixty tool turns: every request begins with the bytes of the one before, and what is billed stays within the budget."""

from itertools import pairwise

import msgspec
import pytest

from agent.api import Flags
from agent.protocol.events import Notice
from agent.rehearsal.diagnosis import _reason, fingerprint
from agent.rehearsal.models import table
from agent.rehearsal.prompt import Prompt
from agent.rehearsal.script import call, reply, say, thinking, tool
from tests.walks.conftest import finished, of

TURNS = 60
FIRST, BILLED = 3_000, 110_000  # tokens; design budgets, headless
READ, WRITTEN = 0.1, 1.25  # of the price of a plain token


def steps(file: str):
    """Reads, searches, commands, thinking and parallel calls, as a session of small steps has them."""
    for n in range(TURNS // 4):
        yield call("Read", file_path=file, offset=1 + n, limit=20)
        yield call("Grep", pattern=f"value_{n}\\b", path=file, output_mode="content")
        yield call("Bash", command=f"sed -n {n + 1},{n + 12}p {file}", description="look")
        yield reply(
            thinking(f"what next, {n}?"),
            tool("Read", {"file_path": file, "offset": 50 + n, "limit": 5}),
            tool("Bash", {"command": f"wc -l {file} # {n}"}),
        )


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
    path = project / "values.py"
    path.write_text("".join(f"value_{n} = {n * n}  # the square of {n}\n" for n in range(100)), encoding="utf-8")
    return str(path)


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
    billed = sum(
        usage["input_tokens"] + READ * usage["cache_read_input_tokens"] + WRITTEN * usage["cache_creation_input_tokens"]
        for usage in usages
    )
    assert billed <= BILLED
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


@pytest.mark.parametrize(
    ("second", "words", "reason"),
    [
        ({"append_system_prompt": "Be brief."}, "the system prompt changed", "system_changed"),
        ({"flags": Flags(model="claude-opus-5")}, "the model changed", "model_changed"),
    ],
)
async def test_a_turn_that_writes_again_says_why_and_the_server_agrees(make_walk, file, second, words, reason):
    walk = await make_walk(call("Read", file_path=file), say("one"), say("two"))
    await walk.say("first")
    watch = walk.session._state.conversation.cache_watch
    await walk.open(continue_=True, **second)
    walk.session._state.conversation.cache_watch = watch  # as if it were one session
    events = await walk.say("second")
    (line,) = [notice.text for notice in of(events, Notice) if "re-wrote" in notice.text]
    assert words in line
    before, after = (fingerprint(prompt(request)) for request in walk.api.requests[1:])
    assert _reason(before, after)["type"] == reason


def prompt(request) -> Prompt:
    """A request as the server reads it."""
    return Prompt(dict(request.body), dict(request.headers), table()[request.body["model"]])
