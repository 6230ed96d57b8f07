"""Random sessions: whatever a person does, every request is legal, only appends where nothing was rewritten, and the meter says what the server counted."""

import random
from pathlib import Path

import msgspec
import pytest

from agent.protocol.events import CompactFinished, HistoryChanged, MicroCompacted, ModelChanged, Notice
from agent.rehearsal.replies import Reply
from agent.rehearsal.script import reply, say, summary, thinking, tool
from tests.walks.conftest import Walk, asks_summary, finished, of

WINDOW = 20_000  # auto-compact at 13,400
OPERATIONS = 25
MODELS = ("claude-sonnet-5-5", "claude-opus-5", "claude-opus-5-5")
REWRITES = ("/compact", "/rewind", "/context", "/model", "/clear")


def bare(value):
    """What the cache compares: everything but the marks."""
    if isinstance(value, dict):
        return {name: bare(part) for name, part in value.items() if name != "cache_control"}
    return [bare(part) for part in value] if isinstance(value, list) else value


def prefix(body) -> bytes:
    """Tools, system and messages as one string of bytes, open at its end."""
    return b"\n".join(msgspec.json.encode(bare(part)) for part in [body["tools"], body["system"], *body["messages"]])


def answers(dice: random.Random, project: Path) -> list[Reply]:
    """What the model says: some rounds of calls, then words; with thinking or without."""
    said: list[Reply] = []
    for number in range(2 * OPERATIONS):
        for step in range(dice.randint(0, 2)):
            thought = [thinking(f"thought {number}.{step}")] if dice.random() < 0.7 else []
            calls = [_call(dice, project, f"{number}.{step}.{n}") for n in range(dice.randint(1, 2))]
            said.append(reply(*thought, *calls))
        thought = [thinking(f"so {number}")] if dice.random() < 0.7 else []
        said.append(reply(*thought, *say(f"answer {number} " + "word " * dice.randint(1, 80)).blocks))
    return said


def _call(dice: random.Random, project: Path, mark: str):
    if dice.random() < 0.5:
        return tool("Read", {"file_path": str(project / "hello.py"), "limit": dice.randint(1, 9)})
    return tool("Bash", {"command": f"head -{dice.randint(1, 150)} long.txt # {mark}"})


class Person:
    """Does one thing after another, and looks at what comes of it."""

    def __init__(self, walk: Walk, dice: random.Random) -> None:
        self.walk = walk
        self.dice = dice
        self.rewritten = True  # whether the next request may differ from the last one
        self.done: list[str] = []

    async def act(self) -> None:
        dice = self.dice
        line = dice.choice(
            ["say"] * 8
            + ["/compact", "/compact undo", "/compact redo", f"/rewind {dice.randint(1, 4)}", "/rewind undo"]
            + [
                f"/context {dice.choice(('drop', 'shrink', 'pin'))} {dice.randint(1, 8)}",
                "/context undo",
                "/pin a rule",
            ]
            + [f"/model {dice.choice(MODELS)}", "resume", "!", "mode", "/context all", "/cost", "/clear"]
        )
        self.done.append(line)
        match line:
            case "say":
                await self.prompt()
            case "resume":
                await self.walk.open(continue_=True)
            case "!":
                assert [event async for event in self.walk.session.run_shell("echo mine")]
            case "mode":
                self.walk.session.set_mode(dice.choice(("default", "acceptEdits")))
            case _:
                self.noted(await self.walk.say(line))
                self.rewritten |= line.startswith(REWRITES)
        reading = self.walk.session.reading()
        assert reading.used is not None
        assert 1_000 < reading.used < WINDOW

    async def prompt(self) -> None:
        before = [body for body in self.walk.bodies() if not asks_summary(body)][-1:]
        events = await self.walk.say(f"prompt {len(self.done)}")
        assert not finished(events).is_error, (finished(events), self.done)
        self.noted(events)
        turns = [
            request for request in self.walk.api.requests if request.status == 200 and not asks_summary(request.body)
        ]
        if before and not self.rewritten:
            following = [dict(request.body) for request in turns]
            at = max(place for place, body in enumerate(following) if body == before[0])
            assert prefix(following[at + 1]).startswith(prefix(before[0])), self.done
        usage = turns[-1].usage
        counted = sum(usage[name] for name in usage if name.endswith("input_tokens")) + usage["output_tokens"]
        reading = self.walk.session.reading()
        assert (reading.used, reading.estimated) == (counted, False), self.done
        self.rewritten = False

    def noted(self, events) -> None:
        """Rewrites that the engine made, and said so."""
        kinds = (CompactFinished, MicroCompacted, HistoryChanged, ModelChanged)
        told = [notice for notice in of(events, Notice) if "go on without it" in notice.text]
        self.rewritten |= bool(told) or any(of(events, kind) for kind in kinds)


@pytest.mark.parametrize("seed", range(5))
async def test_whatever_a_person_does(make_walk, project, seed):
    dice = random.Random(seed)
    (project / "long.txt").write_text("".join(f"line {n} of a file that is long enough\n" for n in range(200)))
    spoken = answers(dice, project)
    walk = await make_walk(summary("what was said").when(compaction=True, repeat=0), *spoken, window=WINDOW)
    person = Person(walk, dice)
    await person.prompt()
    for _ in range(OPERATIONS):
        await person.act()
    refused = {line.split(":")[0] for line in walk.api.violations}
    assert refused <= {"thinking.bound"}
    walk.api.violations.clear()
