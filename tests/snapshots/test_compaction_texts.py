"""What a person reads of a compaction: forecast, choices, receipt and diff, as text. `pytest tests/snapshots --snapshot-update` writes them anew."""

import re

from agent.compact.report import receipt_line
from agent.protocol.asks import Preview
from agent.protocol.events import CompactFinished
from agent.rehearsal.script import call, reply, say, summary, thinking, tool
from tests.walks.conftest import Walk, finished, of

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NUMBER = re.compile(r"(?<=~)[\d,]+|\$[\d.]+|\d[\d,]{3,}")
SHORT_ID = re.compile(r"(?<=\| )[0-9a-f]{8}(?= \|)")


def told(walk: Walk, text: str) -> str:
    """`text` without what differs from run to run: ids, folders, the time, and sizes, which follow the folders' names."""
    text = UUID.sub("UUID", text).replace(str(walk.project), "/project").replace(str(walk.home), "/home")
    text = SHORT_ID.sub("ID", text).replace(re.sub(r"[^A-Za-z0-9]", "-", str(walk.project)), "-project")
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "TIME UTC", text)
    return NUMBER.sub("N", text)


async def lived(make_walk, project) -> Walk:
    (project / "CLAUDE.md").write_text("Tabs only.\n", encoding="utf-8")
    walk = await make_walk(
        reply(thinking("What is it? " * 40), tool("Read", {"file_path": str(project / "hello.py")})),
        say("It says hello. " * 200),
        call("Bash", command="seq 1 500"),
        say("It counts. " * 300),
        say("Nothing more."),
        summary("1. Primary Request and Intent: to look at hello.py."),
    )
    await walk.say("look at hello.py; you must not touch the tests")
    await walk.say("now count")
    await walk.say("anything else?")
    return walk


async def test_the_forecast_the_summary_the_receipt_and_the_diff(make_walk, project, snapshot):
    walk = await lived(make_walk, project)
    events = await walk.say("/compact preview")
    forecast, proposal = [ask for ask in walk.asked if isinstance(ask, Preview)]
    assert told(walk, forecast.report) == snapshot(name="forecast")
    assert f"{told(walk, proposal.report)}\n\n{proposal.summary}" == snapshot(name="summary")
    assert told(walk, receipt_line(of(events, CompactFinished)[0].receipt)) == snapshot(name="receipt")
    assert told(walk, finished(await walk.say("/compact diff")).text) == snapshot(name="diff")


async def test_the_choices_of_both_directions(make_walk, project, snapshot):
    walk = await lived(make_walk, project)
    for direction in ("from", "up-to"):
        assert told(walk, finished(await walk.say(f"/compact {direction}")).text) == snapshot(name=direction)


async def test_the_summarisers_request_for_a_part(make_walk, project, snapshot):
    walk = await lived(make_walk, project)
    await walk.say("/compact from 6 keep the numbers")
    words = walk.bodies()[-1]["messages"][-1]["content"][-1]["text"]
    start = words.index("Summarise only")
    assert words[start : words.index("Remember:")] == snapshot(name="from")
