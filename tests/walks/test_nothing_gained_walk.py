"""A compaction that would gain nothing: by itself it never stands, and money is not burnt on it again and again."""

import json

from agent.protocol.events import CompactFailed, CompactFinished
from agent.rehearsal.script import fail, say, summary, too_long
from tests.walks.conftest import finished, of

REPEATED = summary("1. Primary Request and Intent: " + "word after word after word " * 120).when(
    compaction=True, repeat=0
)


async def test_a_reactive_compaction_that_makes_it_larger_is_not_installed(make_walk):
    refused = fail(400, message="Input is too long for requested model.")
    walk = await make_walk(say("one"), refused, REPEATED, say("on"), window=20_000)
    await walk.say("first FACT-1")
    events = await walk.say("second FACT-2")
    assert of(events, CompactFinished) == []
    assert "would gain nothing" in of(events, CompactFailed)[0].reason
    assert walk.compactions() == []  # nothing is paid for what cannot help
    assert "compact_boundary" not in walk.transcript_text()
    assert finished(await walk.say("third")).text == "on"


async def test_the_numbers_of_an_automatic_receipt_fall(make_walk):
    walk = await make_walk(say("one"), too_long(21_500, 20_000), summary("S"), say("two"))
    await walk.say("first")
    receipt = of(await walk.say("second"), CompactFinished)[0].receipt
    assert receipt.post_tokens < receipt.pre_tokens == 21_500


async def test_a_receipt_is_the_same_after_undo_and_redo_and_in_another_session(make_walk):
    walk = await make_walk(say("one " * 900), summary("S"), say("two"))
    session = await walk.open()
    await walk.say("always use tabs in hello.py")
    told = of(await walk.say("/compact"), CompactFinished)[0].receipt
    assert told.rules is not None
    for _ in range(2):
        [again] = of(list(walk.session.history()), CompactFinished)
        parts = (again.receipt.rules, again.receipt.files, again.receipt.repaired, again.receipt.cost)
        assert parts == (told.rules, told.files, told.repaired, told.cost)
        await walk.open(resume=session.id)
        await walk.say("/compact undo")
        await walk.say("/compact redo")
    lines = [json.loads(line) for line in walk.transcript_text().splitlines() if "compactMetadata" in line]
    assert lines[0]["compactMetadata"]["checked"]["rules"] == {"kept": told.rules.kept, "total": told.rules.total}
