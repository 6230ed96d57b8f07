"""Cached prefixes that broke and bills that grew (users' reports by number): every request here goes on where the last one ended."""

import json
import subprocess
from itertools import pairwise

import msgspec
import pytest

from agent.protocol.events import CompactFinished, MicroCompacted, Notice
from agent.rehearsal.script import call, reply, say, summary, thinking, tool
from tests.walks.conftest import finished, of, used


def bare(value):
    """What the cache compares: everything but the marks."""
    if isinstance(value, dict):
        return {name: bare(part) for name, part in value.items() if name != "cache_control"}
    return [bare(part) for part in value] if isinstance(value, list) else value


def prefix(body) -> bytes:
    """Tools, system and messages as one string of bytes, open at its end."""
    return b"\n".join(msgspec.json.encode(bare(part)) for part in [body["tools"], body["system"], *body["messages"]])


def cached_share(request) -> float:
    """How much of a prompt was read from the cache."""
    usage = request.usage
    prompt = usage["input_tokens"] + usage["cache_read_input_tokens"] + usage["cache_creation_input_tokens"]
    return usage["cache_read_input_tokens"] / prompt


def rewritten(events) -> list[str]:
    """The lines that explain a turn that paid again."""
    return [notice.text for notice in of(events, Notice) if "re-wrote" in notice.text]


def git(folder, *words: str) -> None:
    """One git command."""
    subprocess.run(["git", *words], cwd=folder, check=True)


@pytest.fixture
def long_file(project):
    """About 3,000 tokens."""
    path = project / "long.txt"
    path.write_text("".join(f"line {n} of a file that is long enough to cost something\n" for n in range(160)))
    return str(path)


# ---- 51: the request for the summary


async def test_51_the_summary_is_asked_for_on_the_live_prefix_and_read_from_the_cache(make_walk, long_file):
    walk = await make_walk(
        reply(thinking("look"), tool("Read", {"file_path": long_file})), say("one"), summary("S"), say("two")
    )
    await walk.say("first")
    await walk.compact("/compact keep the names")
    turn, asked = walk.bodies()[1], walk.bodies()[2]
    for part in ("model", "system", "tools", "thinking", "tool_choice"):
        assert bare(asked.get(part)) == bare(turn.get(part)), part
    assert prefix(asked).startswith(prefix(turn))
    assert cached_share(walk.api.requests[2]) > 0.7  # all but the last answer and the instruction
    await walk.say("second")
    after = walk.bodies()[3]
    assert bare([after["tools"], after["system"]]) == bare([turn["tools"], turn["system"]])
    assert walk.api.requests[3].usage["cache_read_input_tokens"] > 1_500  # tools and system are still read


async def test_51_of_an_automatic_compaction_in_the_middle_of_a_turn_too(make_walk, long_file):
    again = tool("Bash", {"command": f"cat {long_file}"})
    walk = await make_walk(
        call("Read", file_path=long_file), reply(again, usage=used(14_000)), summary("S"), say("done"), window=20_000
    )
    events = await walk.say("read it again and again")
    assert finished(events).text == "done", finished(events)
    assert len(of(events, CompactFinished)) == 1
    at = next(n for n, body in enumerate(walk.bodies()) if body in walk.compactions())
    assert prefix(walk.bodies()[at]).startswith(prefix(walk.bodies()[at - 1]))
    assert cached_share(walk.api.requests[at]) > 0.5


# ---- 53: nothing shortens what was sent


async def test_53_twenty_turns_with_small_results_only_append(make_walk, project):
    (project / "kilobyte.txt").write_text("a line of fifty characters, give or take a few..\n" * 20)
    steps = [call("Bash", command=f"cat kilobyte.txt # {n}") for n in range(20)]
    walk = await make_walk(*steps, say("done"))
    events = await walk.say("twenty looks")
    assert finished(events).text == "done", finished(events)
    assert of(events, MicroCompacted) == []
    for before, after in pairwise(walk.bodies()):
        assert prefix(after).startswith(prefix(before))
    assert rewritten(events) == []


async def test_53_nothing_that_a_session_goes_through_rewrites_the_prefix(make_walk, project, long_file):
    """Permission modes, settings, memory, own commands, attachments, pins, reports and refusals: all come as additions."""
    walk = await make_walk(call("Read", file_path=long_file), say("one"), *[say(f"answer {n}") for n in range(9)])
    (walk.home / ".ccagent").mkdir(exist_ok=True)
    await walk.say("first")

    async def goes_on(prompt: str = "go on") -> None:
        before = walk.bodies()[-1]
        events = await walk.say(prompt)
        assert not finished(events).is_error, finished(events)
        assert prefix(walk.bodies()[-1]).startswith(prefix(before))
        assert rewritten(events) == []

    walk.session.set_mode("acceptEdits")
    await goes_on()
    (walk.home / ".ccagent" / "settings.json").write_text(json.dumps({"permissions": {"allow": ["Bash(ls:*)"]}}))
    await goes_on()
    (project / "CLAUDE.md").write_text("Use tabs.\n")
    await goes_on()
    assert [event async for event in walk.session.run_shell("echo FACT-53")]
    await goes_on()
    await goes_on("look at @hello.py")
    await walk.say("/pin never push")
    await goes_on()
    for line in ("/context all", "/cost", "/autocompact", "/autocompact 500k", "/permissions", "/memory", "/nonsense"):
        await walk.say(line)
    await goes_on()
    git(project, "checkout", "-q", "-b", "other")
    await goes_on()
    await walk.say("/rewind 9")
    await walk.say("the last one again")
    assert prefix(walk.bodies()[-1]).startswith(prefix(walk.bodies()[-3]))
    assert "FACT-53" in walk.texts()[-1]


# ---- 54: a resume


@pytest.mark.parametrize("resumed", [{"continue_": True}, {"continue_": True, "interactive": False}])
async def test_54_a_resume_sends_the_old_bytes_whatever_has_changed_around_it(make_walk, project, long_file, resumed):
    walk = await make_walk(
        reply(thinking("look"), tool("Read", {"file_path": long_file}), tool("Bash", {"command": "ls"})),
        reply(thinking("so"), *say("one").blocks),
        say("two"),
    )
    await walk.say("first @hello.py")
    (project / "new.txt").write_text("new\n")
    (project / "hello.py").write_text("def greet():\n    return 'changed'\n")
    (project / "CLAUDE.md").write_text("Use tabs.\n")
    git(project, "add", "-A")
    git(project, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "c")
    await walk.open(env={"TZ": "Pacific/Kiritimati"}, **resumed)
    events = await walk.say("second")
    last, after = walk.bodies()[1], walk.bodies()[2]
    assert prefix(after).startswith(prefix(last))
    assert rewritten(events) == []
    assert cached_share(walk.api.requests[2]) > 0.8


async def test_54_a_compaction_undone_is_read_from_the_cache_again(make_walk, long_file):
    walk = await make_walk(call("Read", file_path=long_file), say("one"), summary("S"), say("two"))
    await walk.say("first")
    await walk.compact()
    assert not finished(await walk.say("/compact undo")).is_error
    await walk.say("second")
    assert prefix(walk.bodies()[3]).startswith(prefix(walk.bodies()[1]))
    assert cached_share(walk.api.requests[3]) > 0.8
