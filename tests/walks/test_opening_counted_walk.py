"""What stands before the first prompt is in the meter and in /context before that prompt is sent, and is listed once."""

import re

import pytest

from agent.protocol.events import MeterChanged
from agent.rehearsal.script import say
from tests.walks.conftest import finished, of

RULES = "Always keep the public names of this project as they are.\n" * 900


def memory_row(report: str) -> int:
    """The tokens of the row of memory files."""
    return int(re.search(r"^\| Memory files \| ([\d,]+) \|", report, re.M)[1].replace(",", ""))


def items(report: str) -> list[str]:
    """The names of the listed items."""
    return re.findall(r"^\| \d+ \| (.*?) \|", report, re.M)


@pytest.mark.parametrize("before", [None, "/clear", "/rewind 1"])
async def test_the_meter_counts_it_before_the_first_prompt(make_walk, project, before):
    (project / "CLAUDE.md").write_text(RULES, encoding="utf-8")
    walk = await make_walk(say("one"), say("two"))
    session = await walk.open()
    await session.start()
    if before is not None:
        await walk.say("hello")
        await walk.say(before)
    foreseen = session.reading().used
    report = finished(await walk.say("/context")).text
    assert memory_row(report) > 9_000
    assert sum("CLAUDE.md" in name for name in items(report)) == 1
    events = await walk.say("hello")
    sent = of(events, MeterChanged)[0].reading.used
    assert foreseen == pytest.approx(sent, abs=20)


async def test_it_is_listed_once_and_has_its_row_after_it_too(make_walk, project):
    (project / "CLAUDE.md").write_text(RULES, encoding="utf-8")
    walk = await make_walk(say("one"))
    await walk.say("hello")
    report = finished(await walk.say("/context")).text
    assert memory_row(report) > 9_000
    assert sum("CLAUDE.md" in name or "Message 1:" in name for name in items(report)) == 1


async def test_a_changed_file_is_counted_as_it_is_now(make_walk, project):
    walk = await make_walk(say("one"))
    session = await walk.open()
    await session.start()
    assert "Memory files" not in finished(await walk.say("/context")).text
    (project / "CLAUDE.md").write_text(RULES, encoding="utf-8")
    assert memory_row(finished(await walk.say("/context")).text) > 9_000
    assert session.reading().used > 11_000
