"""The kept tail over real HTTP: the API takes it, thinking or not, and the conversation stays well under the threshold."""

import pytest

from agent.api import Flags
from agent.protocol.events import CompactFinished
from agent.rehearsal.script import call, reply, say, summary, thinking, tool
from tests.walks.conftest import finished, of, used
from tests.walks.test_compact_walk import without_cache_marks

LINES = ": step_{mark}; for i in $(seq {n}); do echo line-{mark}-$i; done"


def step(n: int, lines: int = 60, **said):
    """A thinking answer with one call whose result can be told from others."""
    command = LINES.format(n=lines, mark=n)
    return reply(thinking(f"thought {n}"), tool("Bash", {"command": command}), **said)


def kinds(body) -> set[str]:
    """The kinds of the blocks in a request."""
    return {block["type"] for message in body["messages"] for block in message["content"]}


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "claude-opus-5"])
async def test_in_mid_turn_the_latest_rounds_stand_and_the_api_takes_them(make_walk, model):
    walk = await make_walk(
        say("ready"),
        *[step(n) for n in range(9)],
        step(9, usage=used(14_000)),
        summary("S-1"),
        step(10),
        say("done"),
        window=20_000,
    )
    await walk.open(flags=Flags(model=model))
    await walk.say("hello")
    events = await walk.say("count, KEPT-REQUEST")
    assert finished(events).text == "done", finished(events)
    assert len(of(events, CompactFinished)) == 1
    after, text = walk.bodies()[12], walk.texts()[12]
    assert text.count("KEPT-REQUEST") == 1
    assert "line-9-60" in text
    assert "line-0-60" not in text
    assert "step_0" in text  # by name only
    assert text.index("S-1") < text.index("KEPT-REQUEST") < text.index("line-9-60")
    assert "thinking" not in kinds(after)
    assert "thinking" in kinds(walk.bodies()[13])  # what was thought since then is sent
    tokens = of(events, CompactFinished)[0].receipt.post_tokens
    assert tokens < 10_720  # not even the warning


async def test_a_tail_survives_a_resume_with_the_same_bytes_and_undo_brings_the_thinking_back(make_walk):
    walk = await make_walk(
        *[step(n) for n in range(8)], say("done"), summary("S-1"), say("two"), say("three"), say("four"), window=20_000
    )
    await walk.say("count")
    await walk.compact()
    await walk.say("second")
    after = walk.bodies()[10]
    assert "line-7-60" in walk.texts()[10]
    assert "thinking" not in kinds(after)
    await walk.open(continue_=True)
    await walk.say("third")
    size = len(after["messages"]) - 1
    assert without_cache_marks(walk.bodies()[11]["messages"][:size]) == without_cache_marks(after["messages"][:size])
    assert not finished(await walk.say("/compact undo")).is_error
    assert not finished(await walk.say("fourth")).is_error
    before, last = walk.bodies()[8]["messages"], walk.bodies()[12]["messages"]
    assert without_cache_marks(last[: len(before)]) == without_cache_marks(before)


async def test_a_chain_of_compactions_moves_the_tail_on(make_walk):
    parts = [part for n in range(3) for part in (*[step(10 * n + k) for k in range(8)], say("ok"), summary(f"S-{n}"))]
    walk = await make_walk(*parts, say("end"), window=20_000)
    for n in range(3):
        await walk.say(f"count {n}")
        receipt = of(await walk.say("/compact"), CompactFinished)[0].receipt
        assert receipt.post_tokens < receipt.pre_tokens
    await walk.say("go on")
    text = walk.texts()[-1]
    assert "line-27-60" in text
    assert "line-17-60" not in text
    assert "S-2" in text
    assert "S-1" not in text


async def test_a_first_exchange_is_still_compacted_whole(make_walk):
    walk = await make_walk(call("Bash", command="echo hi"), say("one"), summary("S-1"), say("two"))
    await walk.say("first")
    receipt = of(await walk.say("/compact"), CompactFinished)[0].receipt
    assert receipt.messages_summarized > 0
    await walk.say("second")
    assert "tool_use" not in kinds(walk.bodies()[3])


async def test_a_file_that_a_kept_round_only_edits_is_given_back_and_one_that_it_shows_is_not(make_walk, project):
    (project / "edited.py").write_text("UNTOUCHED = 1\n" + "y = 1\n" * 60 + "value = 1\n", encoding="utf-8")
    (project / "shown.py").write_text("WHOLE = 1\n" + "x = 1\n" * 100, encoding="utf-8")
    edited, shown = str(project / "edited.py"), str(project / "shown.py")
    walk = await make_walk(
        call("Read", file_path=edited),
        *[step(n) for n in range(9)],
        call("Read", file_path=shown),
        call("Edit", file_path=edited, old_string="value = 1", new_string="value = 2"),
        say("done"),
        summary("S-1"),
        say("two"),
        window=20_000,
    )
    await walk.say("change the value")
    receipt = of(await walk.say("/compact"), CompactFinished)[0].receipt
    await walk.say("second")
    assert receipt.files_restored == (edited,)
    text = walk.texts()[-1]
    assert text.count("UNTOUCHED = 1") == 1
    assert text.count("WHOLE = 1") == 1


@pytest.mark.parametrize(("name", "given"), [("@notes.md", False), ("@notes.md#L1-2", True)])
async def test_a_file_that_a_kept_prompt_attaches_whole_is_not_given_back(make_walk, project, name, given):
    notes = project / "notes.md"
    notes.write_text("MARK-1\nMARK-2\nMARK-3\n", encoding="utf-8")
    read = call("Read", file_path=str(notes))
    walk = await make_walk(read, say("one " * 3_000), say("two " * 300), summary("S-1"), say("three"))
    await walk.say("read my notes" + " words" * 2_000)
    await walk.say(f"look at {name}")
    receipt = await walk.compact()
    await walk.say("go on")
    request = walk.texts()[-1]
    assert f"look at {name}" in request
    assert (str(notes) in receipt.files_restored) == given
    assert request.count("MARK-3") == 1
