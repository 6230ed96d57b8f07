"""/context: items pinned, dropped, shrunk and taken back; pins stand word for word after every compaction."""

import re
from pathlib import Path

import msgspec
import pytest

from agent.protocol.events import MeterChanged, Notice
from agent.rehearsal.script import call, reply, say, summary, thinking, tool
from tests.walks.conftest import finished, of

LONG = " word" * 6_000
SECRET = "ONE-OF-A-KIND-4711"


@pytest.fixture
def file(project: Path) -> str:
    """About 15 KB with one telling line in its middle."""
    lines = [f"line {n} of many that say little" for n in range(400)]
    lines[200] = SECRET
    path = project / "long.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def text(events) -> str:
    """What a command printed."""
    return "\n".join(notice.text for notice in of(events, Notice) if notice.level == "output")


async def number_of(walk, words: str) -> str:
    """The number of an item in /context."""
    rows = text(await walk.say("/context")).splitlines()
    return next(row.split("|")[1].strip() for row in rows if words in row)


def messages(walk):
    """The messages of the last request, without cache marks."""
    return msgspec.json.decode(re.sub(r',"cache_control":\{"type":"ephemeral"\}', "", walk.texts()[-1]))


async def test_a_dropped_item_is_out_of_the_next_request_and_can_be_read_back(make_walk, file):
    walk = await make_walk(
        reply(thinking("hm"), tool("Read", {"file_path": file})), reply(thinking("so"), *say("one").blocks), say("two")
    )
    await walk.say("first")
    before = walk.session.reading().used
    events = await walk.say(f"/context drop {await number_of(walk, 'result of Read')}")
    said = text(events)
    assert re.search(r"~[\d,]+ tokens less in every request \(\$", said)
    assert "1 later answer goes on without thinking" in said
    assert of(events, MeterChanged)[-1].reading.used < before - 4_000
    await walk.say("second")
    assert SECRET not in walk.texts()[-1]
    place = re.search(r"\[Left out by the user\] result of Read [^·]+ · ([^\"]+)\"", walk.texts()[-1])[1]
    assert SECRET in Path(place).read_text(encoding="utf-8")


async def test_what_an_item_would_save_and_cost_is_said_before_it_is_left_out(make_walk, file):
    walk = await make_walk(call("Read", file_path=file), say("one"))
    await walk.say("first")
    row = next(row for row in text(await walk.say("/context")).splitlines() if "result of Read" in row)
    saved, _paid = (float(word) for word in re.search(r"\$(\S+) less a request, \$(\S+) once", row).groups())
    said = text(await walk.say(f"/context drop {row.split('|')[1].strip()}"))
    told = float(re.search(r"less in every request \(\$([\d.]+)\)", said)[1])
    assert 0 < told <= saved <= 2 * told  # a stub stays, and prices are rounded


async def test_a_drop_is_taken_back_without_a_trace_when_nothing_was_said_since(make_walk, file):
    walk = await make_walk(
        reply(thinking("hm"), tool("Read", {"file_path": file})), reply(thinking("so"), *say("one").blocks), say("two")
    )
    await walk.say("first")
    sent = messages(walk)
    await walk.say(f"/context drop {await number_of(walk, 'result of Read')}")
    assert not finished(await walk.say("/context undo")).is_error
    await walk.say("second")
    assert messages(walk)[: len(sent)] == sent
    assert '"thinking":"so"' in walk.texts()[-1]


async def test_a_drop_is_taken_back_later_at_the_price_of_thinking(make_walk, file):
    walk = await make_walk(
        call("Read", file_path=file), say("one"), reply(thinking("so"), *say("two").blocks), say("three"), say("four")
    )
    await walk.say("first")
    await walk.say(f"/context drop {await number_of(walk, 'result of Read')}")
    await walk.say("second")
    await walk.open(continue_=True)
    await walk.say("third")
    assert SECRET not in walk.texts()[-1]
    assert not finished(await walk.say("/context undo")).is_error
    await walk.say("fourth")
    assert SECRET in walk.texts()[-1]
    assert finished(await walk.say("/context undo")).error.startswith("There is nothing to take back.")


async def test_a_shrunk_item_keeps_its_ends_and_its_place(make_walk, file):
    walk = await make_walk(call("Read", file_path=file), say("one"), say("two"))
    await walk.say("first")
    await walk.say(f"/context shrink {await number_of(walk, 'result of Read')}")
    await walk.say("second")
    assert "line 0 of many" in walk.texts()[-1]
    assert "line 399 of many" in walk.texts()[-1]
    assert SECRET not in walk.texts()[-1]
    assert "shrunk by the user" in walk.texts()[-1]


async def test_pins_survive_two_compactions_and_a_resume(make_walk, file):
    walk = await make_walk(
        *(call("Read", file_path=file), say("one" + LONG), summary("S-1"), say("two" + LONG), say("more" + LONG)),
        *(summary("S-2"), say("three"), say("four")),
    )
    await walk.say("first")
    number = await number_of(walk, "result of Read")
    assert "Pinned: Message" in text(await walk.say(f"/pin {number}"))
    assert "(pinned)" in text(await walk.say("/context"))
    await walk.say("/pin never touch the vendor folder")
    Path(file).unlink()  # so that only the pin can bring it back
    await walk.compact()
    await walk.say("second")
    assert SECRET in walk.texts()[-1]
    assert "never touch the vendor folder" in walk.texts()[-1]
    await walk.say("and more")
    await walk.open(continue_=True)
    assert "2. never touch the vendor folder" in text(await walk.say("/pin"))
    await walk.compact()
    await walk.say("third")
    assert walk.texts()[-1].count(SECRET) == 1
    assert "never touch the vendor folder" in walk.texts()[-1]
    assert not finished(await walk.say("/unpin all")).is_error
    assert "Nothing is pinned" in text(await walk.say("/pin"))


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("/context drop 99", "There is no item 99."),
        ("/context drop", "There is no item (none given)."),
        ("/context fly", "/context does not know 'fly'."),
        ("/context undo", "There is nothing to take back."),
        ("/unpin 3", "Which pin?"),
        ("/context shrink 1", "is too short to shrink"),
    ],
)
async def test_what_cannot_be_done_is_said(make_walk, line, error):
    walk = await make_walk(say("one"))
    await walk.say("first")
    before = walk.transcript_text()
    assert error in finished(await walk.say(line)).error
    assert walk.transcript_text() == before


async def test_a_pinned_item_cannot_be_dropped(make_walk, file):
    walk = await make_walk(call("Read", file_path=file), say("one"))
    await walk.say("first")
    number = await number_of(walk, "result of Read")
    await walk.say(f"/context pin {number}")
    assert "is pinned" in finished(await walk.say(f"/context drop {number}")).error


async def test_pins_have_their_own_bounds(make_walk):
    walk = await make_walk(say("one"), window=20_000)
    await walk.say("first")
    assert "there is room for 1,675" in finished(await walk.say("/pin " + "word " * 2_000)).error


async def test_what_nobody_typed_is_named_for_what_it_is(make_walk, file):
    walk = await make_walk(call("Read", file_path=file), say("one"), summary("S"))
    await walk.say(f"look at @{file}")
    listed = text(await walk.say("/context all"))
    assert "Message 1: environment and memory" in listed
    assert "Message 2: File /" in listed
    assert "Message 3: user messages" in listed
    await walk.say("/pin SECRET-WORDS")
    await walk.compact()
    after = text(await walk.say("/context all")).replace("\\", "")
    assert all(
        f": {name} |" in after for name in ("summary", "pins", "environment and memory", f"restored file {file}")
    )


async def test_a_pin_of_words_is_told_with_what_the_meter_moves_by(make_walk):
    walk = await make_walk(say("one"))
    before = of(await walk.say("first"), MeterChanged)[-1].reading.used
    told = text(events := await walk.say("/pin never touch the vendor folder"))
    after = of(events, MeterChanged)[-1].reading.used
    assert f": ~{after - before} tokens of each request" in told
