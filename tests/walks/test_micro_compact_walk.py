"""Microcompact over real HTTP: old results leave the context in one batch, stay out, and can be read back; thinking stays legal."""

import asyncio
import re
import time
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from agent.api import Flags
from agent.compact.micro_compact import micro_compact_if_needed
from agent.compact.old_results import text_of
from agent.compact.put_aside import CLEARED
from agent.protocol.events import CompactStarted, MicroCompacted
from agent.protocol.source import QuerySource
from agent.rehearsal.script import call, fail, reply, say, think, thinking, tool
from agent.tokens.features import estimate_text
from tests.walks.conftest import finished, of

WINDOW = 60_000  # T = 40,200; the newest 10,050 tokens of results stay
ROUNDS = 10  # of about 5,000 tokens each


def without_marks(messages):
    """Messages as the cache reads them."""
    if isinstance(messages, dict):
        return {name: without_marks(value) for name, value in messages.items() if name != "cache_control"}
    return [without_marks(item) for item in messages] if isinstance(messages, list) else messages


def results(body) -> list[str]:
    """The texts of all results in a request."""
    blocks = [block for message in body["messages"] for block in message["content"] if block["type"] == "tool_result"]
    return [block["content"] if isinstance(block["content"], str) else block["content"][0]["text"] for block in blocks]


def thoughts(body) -> int:
    """How many thinking blocks a request carries."""
    return sum(block["type"] == "thinking" for message in body["messages"] for block in message["content"])


def working(rounds: int = ROUNDS):
    """A tool loop whose every round thinks and brings a long output."""
    return [reply(thinking(f"step {n}"), tool("Bash", {"command": f"cat long.txt # {n}"})) for n in range(rounds)]


@pytest.fixture
def long_file(project: Path) -> Path:
    """About 5,000 tokens as the server counts them."""
    file = project / "long.txt"
    file.write_text("".join(f"line {n} of a long file that goes on and on\n" for n in range(370)), encoding="utf-8")
    return file


def no_clearing_by_the_server(walk, model: str = "claude-sonnet-5-5") -> None:
    """What a gateway has said of the model: its window, and nothing of context editing."""
    folder = walk.home / ".ccagent" / "cache"
    folder.mkdir(parents=True)
    said = {
        f"{walk.api.url} {model}": {"window": {"max_input_tokens": WINDOW, "max_tokens": 64_000}, "at": time.time()}
    }
    (folder / "windows.json").write_bytes(msgspec.json.encode(said))


async def test_the_server_leaves_old_results_out_and_keeps_the_thinking(make_walk, long_file):
    walk = await make_walk(*working(), say("done"), say("and again"), say("resumed"), window=WINDOW)
    events = await walk.say("look at it ten times")
    assert finished(events).text == "done", finished(events)
    (cleared,) = of(events, MicroCompacted)
    assert cleared.cleared >= 5
    assert of(events, CompactStarted) == []
    bodies = walk.bodies()
    first = next(at for at, body in enumerate(bodies) if "context_management" in body)
    for body in bodies[first:]:
        uses = sum(block["type"] == "tool_use" for message in body["messages"] for block in message["content"])
        edit = body["context_management"]["edits"][0]
        assert uses - edit["keep"]["value"] == cleared.cleared  # the same results in every later request
    assert thoughts(bodies[-1]) == ROUNDS
    assert CLEARED not in walk.texts()[-1]
    before, after = walk.api.requests[first - 1].usage, walk.api.requests[first].usage
    assert total(after) < total(before) - 20_000
    following = walk.api.requests[first + 1].usage
    assert following["cache_read_input_tokens"] >= total(after) - 100  # the cache holds what was written once more


def total(usage) -> int:
    """All tokens of a prompt."""
    return usage["input_tokens"] + usage["cache_read_input_tokens"] + usage["cache_creation_input_tokens"]


async def test_a_clearing_survives_a_resume_byte_for_byte(make_walk, long_file):
    walk = await make_walk(*working(), say("done"), say("resumed"), window=WINDOW)
    await walk.say("look at it ten times")
    await walk.open(continue_=True)
    await walk.say("go on")
    last, resumed = walk.bodies()[-2], walk.bodies()[-1]
    assert without_marks(resumed["messages"][: len(last["messages"])]) == without_marks(last["messages"])
    assert resumed["context_management"] == last["context_management"]


async def test_what_the_server_leaves_out_can_be_found_and_read(make_walk, long_file):
    walk = await make_walk(*working(), say("done"), call("Read"), call("Read"), say("found"), window=WINDOW)
    await walk.say("look at it ten times")
    index = re.search(r"room\. None is lost: (\S+) lists", walk.texts()[-1])[1]
    replies = walk.api.api.script.replies
    replies[ROUNDS + 1] = call("Read", file_path=index)
    name = re.search(r"# 0: (\S+)", Path(index).read_text(encoding="utf-8"))[1]
    replies[ROUNDS + 2] = call("Read", file_path=str(Path(index).with_name(name)), limit=3)
    walk.asked.clear()
    await walk.say("what did the first look show?")
    assert name in results(walk.bodies()[-2])[-1]
    assert "line 2 of a long file" in results(walk.bodies()[-1])[-1]
    assert walk.asked == []


async def test_where_nothing_is_bound_stubs_stand_in_and_thinking_stays(make_walk, long_file):
    walk = await make_walk(*working(), say("done"), say("resumed"), window=WINDOW)
    await walk.open(flags=Flags(model="claude-opus-5"))
    events = await walk.say("look at it ten times")
    cleared = sum(event.cleared for event in of(events, MicroCompacted))
    last = walk.bodies()[-1]
    stubs = [text for text in results(last) if text.startswith(CLEARED)]
    assert len(stubs) == cleared > 0
    assert "context_management" not in last
    assert thoughts(last) == ROUNDS
    place = re.search(r"Bash cat long\.txt # 0 · ~[\d,]+ tokens · (\S+)$", stubs[0])[1]
    assert Path(place).read_text(encoding="utf-8") == long_file.read_text(encoding="utf-8").rstrip("\n")
    await walk.open(flags=Flags(model="claude-opus-5"), continue_=True)
    await walk.say("go on")
    resumed = walk.bodies()[-1]["messages"]
    assert without_marks(resumed[: len(last["messages"])]) == without_marks(last["messages"])


async def test_where_the_server_cannot_clear_bound_thinking_goes_with_the_results(make_walk, long_file):
    walk = await make_walk(*working(), say("done"), window=WINDOW)
    no_clearing_by_the_server(walk)
    events = await walk.say("look at it ten times")
    assert finished(events).text == "done", finished(events)
    assert len(of(events, MicroCompacted)) == 1
    assert 0 < thoughts(walk.bodies()[-1]) < ROUNDS  # what was thought since the clearing


async def test_small_results_are_never_cleared(make_walk, project):
    (project / "long.txt").write_text("short\n", encoding="utf-8")
    walk = await make_walk(*working(30), say("done"), window=WINDOW)
    events = await walk.say("thirty short looks")
    assert of(events, MicroCompacted) == []
    bodies = [without_marks(body["messages"]) for body in walk.bodies()]
    for before, after in pairwise(bodies):
        assert after[: len(before)] == before


async def test_it_can_be_switched_off(make_walk, long_file):
    walk = await make_walk(*working(5), say("done"), window=WINDOW)
    await walk.open(env={"DISABLE_MICROCOMPACT": "1", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "99"})
    events = await walk.say("look at it five times")
    assert of(events, MicroCompacted) == []


async def test_thinking_that_no_longer_fits_is_left_out_once_and_for_all(make_walk):
    walk = await make_walk(think("a thought", "one"), say("two"), say("three"))
    await walk.open(append_system_prompt="Be brief.")
    await walk.say("first")
    await walk.open(continue_=True)  # without the addition: the old thinking is bound to another system prompt
    events = await walk.say("second")
    assert finished(events).text == "two", finished(events)
    assert [line.split(":")[0] for line in walk.api.violations] == ["thinking.bound"]
    walk.api.violations.clear()
    await walk.say("third")
    assert thoughts(walk.bodies()[-1]) == 0


async def test_a_side_thread_clears_nothing_of_the_main_thread(make_walk, long_file):
    walk = await make_walk(*working(7), say("done"), window=WINDOW)
    await walk.open(env={"DISABLE_MICROCOMPACT": "1", "DISABLE_AUTO_COMPACT": "1"})
    await walk.say("look at it seven times")
    state = walk.session._state
    deps = state.deps(lambda _event: asyncio.sleep(0)).compact
    full = msgspec.structs.replace(deps.reading(), used=60_000)
    side = msgspec.structs.replace(deps.frame, query_source=QuerySource.SIDE)
    beside = msgspec.structs.replace(deps, frame=side)
    assert await micro_compact_if_needed(beside, full, state.parts.spill_dir) is None
    assert await micro_compact_if_needed(deps, full, state.parts.spill_dir) is not None


async def test_a_clearing_by_the_server_waits_for_its_first_answer_before_it_is_on_record(make_walk, long_file):
    walk = await make_walk(
        *working(8), say("done"), fail(500, headers={"x-should-retry": "false"}), say("now"), window=WINDOW
    )
    await walk.open(env={"DISABLE_MICROCOMPACT": "1", "DISABLE_AUTO_COMPACT": "1"})
    await walk.say("look at it eight times")
    await walk.open(continue_=True)
    events = await walk.say("one that is lost")  # the request carries the clearing, and no answer comes
    assert finished(events).is_error
    conversation = walk.session._state.conversation
    assert conversation.pending_clears
    assert conversation.edits.server_cleared == ()
    waiting = conversation.pending_clears
    assert finished(await walk.say("again")).text == "now"
    assert (conversation.pending_clears, conversation.edits.server_cleared) == ((), waiting)


async def test_the_last_look_at_a_working_file_is_never_cleared(make_walk, long_file):
    steps = [reply(tool("Read", {"file_path": str(long_file), "offset": 1, "limit": 369}))]
    walk = await make_walk(*steps, *working(8), say("done"), window=WINDOW)
    await walk.open(flags=Flags(model="claude-opus-5"))
    events = await walk.say("look at it")
    assert of(events, MicroCompacted)
    shown = results(walk.bodies()[-1])
    assert shown[0].startswith("1\t")
    assert any(text.startswith(CLEARED) for text in shown[1:])


async def test_no_stub_is_larger_than_what_it_stands_for(make_walk, long_file):
    walk = await make_walk(*working(), say("done"), window=WINDOW)
    await walk.open(flags=Flags(model="claude-opus-5"))
    await walk.say("look at it ten times")
    recorded = walk.session._state.conversation.recorded()
    whole = {result.tool_use_id: text_of(result) for entry in recorded for result in entry.message.tool_results}
    stubs = walk.session._state.conversation.edits.texts
    assert stubs
    for name, stub in stubs.items():
        assert estimate_text(stub) < estimate_text(whole[name])
