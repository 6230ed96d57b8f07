"""Design note 000, section 7: the boundary and the parent chain as checkpoints, from which a resume goes on; files apart from both."""

import json

from agent.file_history.snapshots import MAX_SNAPSHOTS
from agent.protocol.events import AssistantDone, CompactFinished, PromptAccepted
from agent.rehearsal.script import say, summary
from tests.walks.conftest import of


async def compacted(make_walk):
    walk = await make_walk(say("ANSWER-1 " * 400), summary("SUMMARY-1"), say("ANSWER-2"), say("ANSWER-3"))
    session = await walk.open()
    for line in ("first FACT-1", "/compact", "second FACT-2"):
        await walk.say(line)
    return walk, session


async def test_the_boundary_is_a_root_and_its_logical_parent_is_where_the_history_ended(make_walk) -> None:
    walk, _session = await compacted(make_walk)
    records = [json.loads(line) for line in walk.transcript_text().splitlines()]
    at = next(at for at, record in enumerate(records) if record.get("subtype") == "compact_boundary")
    before = [record["uuid"] for record in records[:at] if "uuid" in record]
    assert records[at]["type"] == "system"
    assert records[at]["parentUuid"] is None
    assert records[at]["logicalParentUuid"] == before[-1]
    assert records[at + 1]["parentUuid"] == records[at]["uuid"]


async def test_a_resume_sends_from_the_boundary_on_and_orphans_nothing(make_walk) -> None:
    walk, session = await compacted(make_walk)
    before = walk.transcript_text()
    await walk.open(resume=session.id)
    shown = walk.session.history()
    assert [event.text for event in of(list(shown), PromptAccepted)] == ["first FACT-1", "second FACT-2"]
    assert len(of(list(shown), AssistantDone)) == 2
    assert len(of(list(shown), CompactFinished)) == 1
    await walk.say("third")
    sent = walk.texts()[-1]
    assert "SUMMARY-1" in sent and "ANSWER-2" in sent
    assert "ANSWER-1 ANSWER-1 ANSWER-1 ANSWER-1 ANSWER-1 ANSWER-1 ANSWER-1 ANSWER-1 ANSWER-1 " * 10 not in sent
    assert walk.transcript_text().startswith(before)


def test_of_the_files_the_note_s_number_of_snapshots_is_kept() -> None:
    assert MAX_SNAPSHOTS == 100
