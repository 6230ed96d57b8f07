"""Design note 000, section 3: the eight steps of compactConversation, and the fixed order of what follows the boundary."""

import json
from pathlib import Path

import pytest

from agent.api import Flags
from agent.protocol.events import CompactFailed, CompactFinished, CompactProgress, CompactStarted, HookFinished
from agent.rehearsal.script import call, fail, reply, say, summary, thinking, tool
from tests.walks.conftest import of, used

EVENTS = ("PreCompact", "SessionStart", "PostCompact", "InstructionsLoaded")


def hooked(walk, project: Path, **commands: str) -> Path:
    """Hooks that note their turn in a file, in the home of the person; `commands` say something besides."""
    marks = project.parent / "order.txt"
    hooks = {
        event: [{"hooks": [{"type": "command", "command": f"echo {event} >> {marks}; {commands.get(event, '')}"}]}]
        for event in EVENTS
    }
    (walk.home / ".claude").mkdir(exist_ok=True)
    (walk.home / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    return marks


def records(walk) -> list[dict[str, object]]:
    return [json.loads(line) for line in walk.transcript_text().splitlines()]


async def test_the_steps_in_their_order(make_walk, project) -> None:
    walk = await make_walk(call("Read", file_path=str(project / "hello.py")), say("read " * 900), summary("S"))
    marks = hooked(walk, project, PreCompact="echo from the hook")
    await walk.open(flags=Flags())
    await walk.say("look")
    marks.unlink()
    events = await walk.say("/compact from the person")
    shown = [event for event in events if isinstance(event, CompactStarted | CompactProgress | CompactFinished)]
    assert isinstance(shown[0], CompactStarted)  # status `compacting`, after PreCompact
    assert isinstance(shown[-1], CompactFinished)
    order = [event.event for event in of(events, HookFinished) if event.event in EVENTS[:3]]
    assert order == ["PreCompact", "SessionStart", "PostCompact"]
    first = next(at for at, event in enumerate(events) if isinstance(event, HookFinished))
    assert first < events.index(shown[0])
    told = [line for line in marks.read_text(encoding="utf-8").split() if line != "InstructionsLoaded"]
    assert told == ["PreCompact", "SessionStart", "PostCompact"]
    asked = walk.texts()[-1]
    assert asked.index("from the person") < asked.index("from the hook")
    assert len(walk.compactions()) == 1


async def test_what_follows_the_boundary_has_a_fixed_order(make_walk, project) -> None:
    """boundary, summary, kept messages, attachments, hook results; in the record and in the next request."""
    walk = await make_walk(
        say("ready"),
        reply(thinking("hm"), tool("Read", {"file_path": str(project / "hello.py")}), usage=used(14_000)),
        summary("SUMMARY-1"),
        say("done"),
        window=20_000,
    )
    hooked(walk, project, SessionStart="echo HOOK-RESULT-1")
    await walk.open()
    await walk.say("hello")
    await walk.say("KEPT-1 look at the greeting")
    after = json.dumps(walk.bodies()[-1]["messages"])
    places = [after.index(text) for text in ("SUMMARY-1", "KEPT-1 look", "def greet", "in the middle of your work")]
    assert places == sorted(places)
    assert after.rindex("HOOK-RESULT-1") > places[-1]
    assert after.count("SUMMARY-1") == after.count("KEPT-1 look") == 1
    found = records(walk)
    at = next(at for at, record in enumerate(found) if record.get("subtype") == "compact_boundary")
    boundary, opening = found[at], found[at + 1]
    assert boundary["parentUuid"] is None
    assert boundary["logicalParentUuid"]
    assert opening["isCompactSummary"] is True
    assert opening["parentUuid"] == boundary["uuid"]
    assert "SUMMARY-1" in json.dumps(opening)


async def test_the_request_is_one_and_is_sized_like_a_turn(make_walk, project) -> None:
    """The default path shares the cache of the main thread: see also test_001_section_2_cache_sharing."""
    walk = await make_walk(say("one " * 900), summary("S"))
    await walk.say("first")
    await walk.compact()
    turn, asked = walk.bodies()
    assert turn["max_tokens"] == asked["max_tokens"]
    assert turn["tools"] == asked["tools"]
    assert turn["system"] == asked["system"]


@pytest.mark.parametrize("ends", ["failed", "vetoed"])
async def test_no_post_compact_hook_when_it_did_not_happen(make_walk, project, ends) -> None:
    walk = await make_walk(say("one " * 900), fail(500, headers={"x-should-retry": "false"}))
    marks = hooked(walk, project, PreCompact="exit 2" if ends == "vetoed" else "")
    await walk.open()
    await walk.say("first")
    marks.unlink()
    events = await walk.say("/compact")
    assert [event.kind for event in of(events, CompactFailed)] == [ends]
    assert marks.read_text(encoding="utf-8").split() == ["PreCompact"]
    assert "compact_boundary" not in walk.transcript_text()
