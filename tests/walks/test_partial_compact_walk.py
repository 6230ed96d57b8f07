"""`/compact from M` and `up-to M`: what stands, what of the cache survives, and the way back; the strict server is the judge."""

import json

import pytest

from agent.api import Flags
from agent.protocol.events import AssistantDone, CompactFinished
from agent.rehearsal.script import call, reply, say, summary, thinking, tool
from tests.walks.conftest import Walk, finished, of
from tests.walks.test_append_only_walk import without_marks

WORK = "word " * 4_000  # about 4,000 tokens a turn, so that the cache has something to hold


def turn(number: int, file: str):
    """Two replies: a thinking tool call, then an answer."""
    yield reply(thinking(f"thought {number}"), tool("Read", {"file_path": file, "offset": 1, "limit": number}))
    yield say(f"answer {number} {WORK}")


async def worked(make_walk, project, *after, turns: int = 3, **server) -> Walk:
    """A conversation of `turns` turns of five messages each, the prompts at 1, 5, 9, ... of the context."""
    file = str(project / "hello.py")
    walk = await make_walk(*[each for number in range(1, turns + 1) for each in turn(number, file)], *after, **server)
    for number in range(1, turns + 1):
        assert not finished(await walk.say(f"prompt {number}: {WORK}")).is_error
    return walk


def messages(walk: Walk, request: int) -> list[dict]:
    """The messages of a request as the cache compares them."""
    return without_marks(walk.bodies()[request]["messages"])


async def number_of(walk: Walk, words: str, direction: str) -> str:
    """M of the message that begins with `words`, read from the list as a person would."""
    listed = finished(await walk.say(f"/compact {direction}")).text
    return next(row.split("|")[1].strip() for row in listed.splitlines() if f"`{words}" in row)


async def test_from_keeps_what_is_before_word_for_word_and_in_the_cache(make_walk, project):
    walk = await worked(make_walk, project, summary("LATER PART"), say("on"))
    sent = messages(walk, -1)
    m = await number_of(walk, "prompt 3", "from")
    receipt = of(await walk.say(f"/compact from {m} keep the names"), CompactFinished)[0].receipt
    ask = messages(walk, -1)
    assert ask[: len(sent)] == sent
    assert 'begins with this message: "prompt 3' in ask[-1]["content"][-1]["text"]
    assert "keep the names" in str(ask[-1])
    asked = walk.api.requests[-1].usage
    assert asked["cache_read_input_tokens"] >= 0.9 * walk.api.requests[-2].usage["cache_read_input_tokens"] > 0
    assert receipt.messages_summarized == 4

    events = await walk.say("go on")
    after = messages(walk, -1)
    kept = next(at for at, message in enumerate(sent) if "prompt 3" in str(message))
    assert after[:kept] == sent[:kept]
    assert "thought 1" in str(after) and "thought 2" in str(after) and "thought 3" not in str(after)
    assert "LATER PART" in str(after[kept]) and f"answer 3 {WORK}" not in str(after)
    read = of(events, AssistantDone)[0].usage.cache_read
    assert read > 15_000  # system, tools and two turns: none of it is written anew


async def test_up_to_keeps_what_follows_word_for_word_and_only_the_tools_stay_cached(make_walk, project):
    walk = await worked(make_walk, project, summary("EARLIER PART"), say("on"))
    sent = messages(walk, -1)
    overhead = walk.api.requests[0].usage["input_tokens"] + walk.api.requests[0].usage["cache_creation_input_tokens"]
    m = await number_of(walk, "prompt 3", "up-to")
    await walk.compact(f"/compact up-to {m}")
    ask = messages(walk, -1)
    assert "prompt 3" not in str(ask) and "answer 2" in str(ask)
    assert "word for word behind your summary" in str(ask[-1])

    events = await walk.say("go on")
    after = messages(walk, -1)
    assert "EARLIER PART" in str(after[0]) and f"answer 2 {WORK}" not in str(after)
    kept = next(at for at, message in enumerate(sent) if "prompt 3" in str(message))
    standing = [block for message in sent[kept:] for block in message["content"] if block["type"] != "thinking"]
    assert [block for message in after for block in message["content"] if block in standing] == standing
    assert "thought 3" not in str(after)  # bound to what the summary has replaced
    usage = of(events, AssistantDone)[0].usage
    assert usage.cache_read < overhead
    assert usage.cache_creation > 4_000


async def test_the_forecast_of_each_choice_says_what_it_comes_to(make_walk, project):
    walk = await worked(make_walk, project, summary("S " * 200), say("on"))
    listed = finished(await walk.say("/compact from")).text
    row = next(row for row in listed.splitlines() if "`prompt 3" in row)
    m = row.split("|")[1].strip()
    forecast = int(row.split("→ ~")[1].split(" ")[0].replace(",", ""))
    receipt = of(await walk.say(f"/compact from {m}"), CompactFinished)[0].receipt
    assert forecast == pytest.approx(receipt.post_tokens, rel=0.15)
    assert "$" in row and " s " in row


@pytest.mark.parametrize("direction", ["from", "up-to"])
async def test_undo_and_redo_of_a_part_also_after_a_resume(make_walk, project, direction):
    walk = await worked(make_walk, project, summary("PART"), say("a"), say("b"), say("c"))
    m = await number_of(walk, "prompt 2", direction)
    await walk.compact(f"/compact {direction} {m}")
    await walk.say("with it")
    compacted = messages(walk, -1)
    await walk.say("/compact undo")
    await walk.open(resume=walk.session.id)
    await walk.say("with it")
    undone = messages(walk, -1)
    assert undone[:-1] == [*messages(walk, 5), {"role": "assistant", "content": undone[-2]["content"]}]
    await walk.say("/compact redo")
    await walk.say("again")
    assert messages(walk, -1)[: len(compacted)] == compacted


async def test_parts_of_parts_and_then_the_whole(make_walk, project):
    walk = await worked(
        make_walk,
        project,
        summary("FIRST"),
        say("four"),
        summary("LAST"),
        say("five"),
        summary("WHOLE"),
        say("six"),
        turns=4,
    )
    await walk.compact(f"/compact up-to {await number_of(walk, 'prompt 3', 'up-to')}")
    await walk.say("prompt 5")
    before = messages(walk, -1)
    await walk.compact(f"/compact from {await number_of(walk, 'prompt 4', 'from')}")
    await walk.say("prompt 6")
    after = messages(walk, -1)
    kept = next(at for at, message in enumerate(before) if "prompt 4" in str(message))
    assert after[:kept] == before[:kept]  # thinking that the first part took away does not come back
    assert "FIRST" in str(after) and "LAST" in str(after) and "thought" not in str(after)
    await walk.compact()
    await walk.say("prompt 7")
    whole = str(messages(walk, -1))
    assert "WHOLE" in whole and "FIRST" not in whole


async def test_a_part_can_begin_in_the_middle_of_a_tool_loop(make_walk, project):
    steps = [
        reply(thinking(f"step {n}"), tool("Grep", {"pattern": f"value_{n}", "path": str(project)})) for n in range(6)
    ]
    walk = await make_walk(*steps, say("done"), summary("LATE"), say("on"), summary("EARLY"), say("on"))
    await walk.say("one long task")
    await walk.compact(f"/compact from {await number_of(walk, 'Grep value_4', 'from')}")
    await walk.say("go on")
    after = str(messages(walk, -1))
    assert "value_3" in after and "value_4" not in after.split("LATE")[0]
    await walk.compact(f"/compact up-to {await number_of(walk, 'Grep value_2', 'up-to')}")
    await walk.say("go on")
    after = str(messages(walk, -1))
    assert "value_2" in after and "step" not in after and "EARLY" in after and "LATE" in after


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "claude-opus-4-6", "claude-haiku-4-5"])
async def test_an_unfinished_turn_is_kept_whole(make_walk, project, model):
    file = str(project / "hello.py")
    walk = await make_walk(
        say("ready"),
        reply(thinking("hm"), tool("Read", {"file_path": file})),
        call("Read", file_path=file, offset=1),
        summary("PART"),
        say("on"),
    )
    await walk.open(flags=Flags(model=model), max_turns=2)
    await walk.say("hello")
    await walk.say("look at it")
    listed = finished(await walk.say("/compact up-to")).text
    numbers = [row.split("|")[1].strip() for row in listed.splitlines() if row.startswith("| ") and row[2].isdigit()]
    assert not finished(await walk.say(f"/compact up-to {numbers[-1]}")).is_error
    assert not finished(await walk.say("go on")).is_error
    assert "look at it" in str(messages(walk, -1))


@pytest.mark.parametrize("wrong", ["99", "0", "2", "00000000"])
async def test_a_message_that_cannot_be_parted_at_changes_nothing(make_walk, project, wrong):
    walk = await worked(make_walk, project)
    before = walk.transcript_text()
    result = finished(await walk.say(f"/compact from {wrong}"))
    assert result.is_error and "Nothing was changed." in result.error and "/compact from lists" in result.error
    assert walk.transcript_text() == before
    assert len(walk.bodies()) == 6


async def test_a_message_can_be_named_by_its_id(make_walk, project):
    walk = await worked(make_walk, project, summary("PART"))
    listed = finished(await walk.say("/compact from")).text
    name = next(row.split("|")[2].strip() for row in listed.splitlines() if "`prompt 3" in row)
    assert of(await walk.say(f"/compact from {name}"), CompactFinished)


async def test_words_that_only_look_like_a_part_are_instructions(make_walk, project):
    walk = await worked(make_walk, project, summary("ALL"))
    receipt = of(await walk.say("/compact from now on keep the table"), CompactFinished)[0].receipt
    assert receipt.messages_summarized > 4
    assert "from now on keep the table" in str(messages(walk, -1)[-1])


async def test_the_picker_gets_the_same_choices_newest_first(make_walk, project):
    walk = await worked(make_walk, project)
    found = walk.session.complete("/compact from ")
    assert " s · prompt 3: word" in next(each.hint for each in found if "prompt" in each.hint)
    assert all(each.text.startswith("/compact from ") and each.hint.index("→") < 12 for each in found)
    assert await number_of(walk, "prompt 3", "from") in [each.text.split()[-1] for each in found]


async def test_nothing_to_part_yet(make_walk):
    walk = await make_walk(say("one"))
    await walk.say("hello")
    assert "no message yet" in finished(await walk.say("/compact from")).text


async def test_what_stands_before_a_later_part_is_not_given_back_a_second_time(make_walk, project):
    (project / "CLAUDE.md").write_text("RULE-A91: tabs only\n", encoding="utf-8")
    walk = await make_walk(
        call("Read", file_path=str(project / "hello.py")), say("one"), say("two"), summary("PART"), say("on")
    )
    await walk.say("read it")
    await walk.say("prompt 2")
    await walk.compact(f"/compact from {await number_of(walk, 'prompt 2', 'from')}")
    await walk.say("go on")
    after = json.dumps(messages(walk, -1))
    assert after.count("RULE-A91") == 1
    assert after.count("def greet()") == 1
