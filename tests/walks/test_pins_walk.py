"""What the model is told of pins, and told again when they are gone: always by what comes after, never by another prefix."""

import re

import msgspec
import pytest

from agent.rehearsal.script import call, say, summary
from tests.walks.conftest import finished

RULE = "the herons of the pond are grey"
TOLD = "The user has pinned this"
GONE = "The user has unpinned this"


def sent(walk) -> list[object]:
    """The messages of the last request, without cache marks."""
    return msgspec.json.decode(re.sub(r',"cache_control":\{"type":"ephemeral"\}', "", walk.texts()[-1]))


async def test_what_is_unpinned_is_taken_back_behind_what_was_sent_and_not_carried_by_a_compaction(make_walk):
    walk = await make_walk(say("one"), say("two"), say("three"), summary("S"), say("four"))
    await walk.say("first")
    await walk.say(f"/pin {RULE}")
    await walk.say("second")
    before = sent(walk)
    assert RULE in walk.texts()[-1].rpartition(TOLD)[2]
    used = walk.session.reading().used
    assert not finished(await walk.say("/unpin all")).is_error
    assert walk.session.reading().used > used  # the meter knows of it at once
    await walk.say("third")
    assert sent(walk)[: len(before)] == before
    assert RULE in walk.texts()[-1].rpartition(GONE)[2]
    await walk.compact()
    await walk.say("fourth")
    assert RULE not in walk.texts()[-1]


@pytest.mark.parametrize("item", [False, True])
async def test_a_pin_that_a_compaction_told_is_taken_back_too(make_walk, project, item):
    file = project / "birds.txt"
    file.write_text("birds\n" * 1_000 + RULE + "\nbirds" * 900, encoding="utf-8")
    walk = await make_walk(
        *(call("Read", file_path=str(file)), say("one" + " word" * 9_000), summary("S")),
        *(say("two" + " word" * 9_000), summary("S-2"), say("three")),
    )
    await walk.say("first")
    items = finished(await walk.say("/context")).text.splitlines()
    number = next(row.split("|")[1].strip() for row in items if "result of Read" in row)
    await walk.say(f"/pin {number}" if item else f"/pin {RULE}")
    file.unlink()  # else the compaction gives it back
    await walk.compact()
    await walk.say("second")
    assert RULE in walk.texts()[-1].rpartition(TOLD)[2]
    await walk.say("/unpin 1")
    await walk.compact()
    await walk.say("third")
    assert RULE not in walk.texts()[-1]


async def test_what_a_kept_part_tells_of_a_gone_pin_is_taken_back_after_it(make_walk):
    walk = await make_walk(say("one"), say("two"), say("three"), summary("S"), say("four"), say("five"))
    await walk.say("first")
    await walk.say(f"/pin {RULE}")
    await walk.say("second")
    await walk.say("/unpin all")
    await walk.say("third")
    listed = finished(await walk.say("/compact from")).text.splitlines()
    await walk.compact(f"/compact from {next(row.split('|')[1].strip() for row in listed if '`third`' in row)}")
    await walk.say("fourth")
    text = walk.texts()[-1]
    assert text.index(TOLD) < text.index(GONE)
    await walk.say("fifth")
    assert walk.texts()[-1].count(GONE) == 1


async def test_a_rewind_behind_it_does_not_bring_a_pin_back_into_force(make_walk):
    walk = await make_walk(say("one"), say("two"), say("three"), say("four"), say("five"))
    await walk.say("first")
    await walk.say(f"/pin {RULE}")
    await walk.say("second")
    await walk.say("/unpin all")
    await walk.say("third")
    await walk.say("/rewind 2")
    await walk.say("fourth")
    text = walk.texts()[-1]
    assert "second" not in text
    assert TOLD not in text or text.index(TOLD) < text.index(GONE)


async def test_a_rewind_behind_it_does_not_let_go_of_a_pin(make_walk):
    walk = await make_walk(say("one"), say("two"), say("three"), say("four"))
    await walk.say("first")
    await walk.say("second")
    await walk.say(f"/pin {RULE}")
    await walk.say("/rewind 2")
    await walk.open(continue_=True)
    await walk.say("third")
    assert "second" not in walk.texts()[-1]
    assert walk.texts()[-1].count(TOLD) == 1
    await walk.say("fourth")
    assert walk.texts()[-1].count(TOLD) == 1


async def test_a_key_in_a_pin_is_masked_and_told_once(make_walk):
    walk = await make_walk(say("one"), say("two"), say("three"))
    await walk.open(env={"SERVICE_API_KEY": "sk-very-secret-4711"})
    await walk.say("/pin use sk-very-secret-4711")
    await walk.say("first")
    await walk.say("second")
    assert walk.texts()[-1].count(TOLD) == 1
    assert GONE not in walk.texts()[-1]
    assert "sk-very-secret-4711" not in walk.texts()[-1]
    assert "sk-very-secret-4711" not in walk.transcript_text()


async def test_a_kept_tail_carries_no_pin_that_is_gone(make_walk, project):
    (project / "big.txt").write_text("a line of some words\n" * 1_500, encoding="utf-8")
    walk = await make_walk(
        call("Read", file_path=str(project / "big.txt")),
        say("one"),
        say("two"),
        say("three"),
        summary("S"),
        say("four"),
    )
    await walk.say("first")
    await walk.say(f"/pin {RULE}")
    await walk.say("second")
    await walk.say("/unpin all")
    await walk.say("third")
    await walk.compact()
    await walk.say("fourth")
    assert "three" in walk.texts()[-1]  # a tail is kept
    assert RULE not in walk.texts()[-1]
