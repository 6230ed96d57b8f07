"""A session that goes on: by the measure of whichever model it goes on with, with its own model, and its cost with it."""

import inspect
import json
import re
from pathlib import Path

import pytest

from agent.api import Flags
from agent.context import window
from agent.models.aliases import DEFAULT_MODEL
from agent.models.rehearsed import is_rehearsed
from agent.protocol.events import Failed, MeterChanged, ModelChanged, Notice
from agent.rehearsal.script import call, say, summary
from agent.tokens import calibrate, features
from agent.tokens.choose import counting
from agent.tokens.counter import TokenCounter
from agent.transcript.entries import SESSION_MODEL
from tests.support.disk import room_for
from tests.walks.conftest import finished, of

CODE = "\n".join(inspect.getsource(module) for module in (calibrate, features, window))
OLDER = "claude-opus-4-6"  # counts by the older tokenizer
NEWER = "claude-opus-5-5"


async def compacted_by(walk, model: str, project) -> int:
    """A compacted session without an answer since; what its meter says."""
    (project / "notes.txt").write_text(CODE, encoding="utf-8")
    await walk.open(flags=Flags(model=model))
    await walk.say(f"look at @{project / 'notes.txt'}")
    await walk.say("and again")
    assert not finished(await walk.say("/compact")).is_error
    return walk.session.reading().used


async def test_what_another_tokenizer_counted_is_converted_at_once_after_a_compaction(make_walk, project):
    walk = await make_walk(say("one " * 3_000), say("two"), summary(CODE[:4_000]), say("three"), window=100_000)
    told = await compacted_by(walk, OLDER, project)
    await walk.open(continue_=True, flags=Flags(model=NEWER))
    reading = walk.session.reading()
    assert reading.estimated
    messages = walk.session._state.conversation.messages()
    newer, older = (TokenCounter(*counting(model)).messages(messages) for model in (NEWER, OLDER))
    assert newer > 1.1 * older
    assert abs(reading.used - told * newer / older) <= 2
    await walk.say("on")
    assert not walk.session.reading().estimated


async def test_the_same_model_says_the_same_number_again(make_walk, project):
    walk = await make_walk(say("one " * 3_000), say("two"), summary(CODE[:4_000]), window=100_000)
    told = await compacted_by(walk, OLDER, project)
    await walk.open(continue_=True, flags=Flags(model=OLDER))
    assert walk.session.reading().used == told


async def test_an_older_record_that_does_not_say_who_counted_is_converted_too(make_walk, project):
    walk = await make_walk(say("one " * 3_000), say("two"), summary(CODE[:4_000]), window=100_000)
    told = await compacted_by(walk, OLDER, project)
    path = Path(walk.session.status().transcript)
    await walk.session.close()
    text = path.read_text(encoding="utf-8")
    older = text.replace(f'"model":"{OLDER}","usage":{{"input_tokens"', '"usage":{"input_tokens"')
    assert older.count(OLDER) == text.count(OLDER) - 1
    path.write_text(older, encoding="utf-8")
    await walk.open(continue_=True, flags=Flags(model=NEWER))
    assert walk.session.reading().used > 1.08 * told


def cost(text: str) -> str:
    """The figures of /cost, without the time."""
    return re.sub(r" · API time .*", "", text)


async def test_the_cost_of_a_session_goes_on_when_it_is_continued(make_walk, project):
    walk = await make_walk(
        say("one " * 2_000), summary("S"), call("Read", file_path=str(project / "hello.py")), say("two"), say("three")
    )
    await walk.say("first")
    await walk.compact()
    await walk.say("second")
    before = finished(await walk.say("/cost")).text
    assert "4 requests" in before
    await walk.open(continue_=True)
    after = finished(await walk.say("/cost")).text
    assert cost(after) == cost(before)
    assert "since it was opened" in after
    await walk.say("third")
    assert "5 requests" in finished(await walk.say("/cost")).text
    await walk.say("/clear")
    assert "0 turns" in finished(await walk.say("/cost")).text


async def test_resume_and_undo_take_the_cost_of_the_session_up(make_walk):
    walk = await make_walk(say("one"), say("two"), say("three"))
    await walk.say("first")
    await walk.say("second")
    first, before = walk.session.id, finished(await walk.say("/cost")).text
    await walk.say("/clear")
    await walk.say("third")
    await walk.say(f"/resume {first}")
    assert cost(finished(await walk.say("/cost")).text) == cost(before)
    await walk.say("/rewind 1")  # what was spent is spent
    await walk.open(resume=first)
    assert "2 requests" in finished(await walk.say("/cost")).text


async def test_an_answer_told_in_several_records_is_paid_once(make_walk, project):
    lines = [
        {"type": "user", "uuid": "a", "parentUuid": None, "message": {"role": "user", "content": "hi"}},
        answer("b", "a", "text", "one", output=7),
        answer("c", "b", "text", "two", output=9),
    ]
    path = project / "theirs.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    walk = await make_walk(say("three"))
    await walk.open(resume=str(path))
    text = finished(await walk.say("/cost")).text
    assert text.startswith("Total cost: $")
    assert "- `claude-opus-5-5`: " in text and "1 request · 1,000 input · 9 output" in text
    assert "(rehearsal" not in text
    assert walk.session.status().cost > 0
    await walk.say("go on")  # and this one was not paid
    text = finished(await walk.say("/cost")).text
    assert "The rehearsal takes no money" in text and "(rehearsal, not paid): $" in text


def answer(uuid: str, parent: str, kind: str, text: str, output: int) -> dict[str, object]:
    """One of the records that another program writes of an answer."""
    message = {
        "id": "msg_01AbCdEfGhIjKlMnOpQrStUv",
        "type": "message",
        "role": "assistant",
        "model": NEWER,
        "content": [{"type": kind, "text": text}],
        "usage": {"input_tokens": 1_000, "output_tokens": output},
    }
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message}


async def test_the_rehearsal_numbers_its_answers(make_walk):
    walk = await make_walk(say("one"), summary("S"))
    await walk.say("first")
    assert is_rehearsed(walk.session._state.conversation.recorded()[-1].message_id)
    await walk.compact()
    text = finished(await walk.say("/cost")).text
    assert text.startswith("Total cost: $0.0000 · 1 turn")
    assert walk.session.status().cost == 0


async def test_a_session_goes_on_with_its_own_model(make_walk):
    walk = await make_walk(say("one"), say("two"), summary("S"), say("three"), say("four"))
    await walk.say("first")
    await walk.say(f"/model {NEWER}")
    await walk.say("second")
    await walk.compact()
    await walk.open(continue_=True)
    events = [event async for event in told(walk)]
    assert f"Going on with {NEWER}, the model of this session." in [e.text for e in of(events, Notice)]
    assert walk.session.status().model == NEWER
    await walk.say("third")
    assert walk.bodies()[-1]["model"] == NEWER
    session = walk.session.id
    await walk.open()
    assert walk.session.status().model == DEFAULT_MODEL
    events = await walk.say(f"/resume {session}")
    assert ModelChanged(NEWER) in events
    await walk.say("fourth")
    assert walk.bodies()[-1]["model"] == NEWER


async def told(walk):
    """What starting tells."""
    await walk.session.start()
    stream = walk.session.events()
    async for event in stream:
        yield event
        if isinstance(event, MeterChanged):
            break


@pytest.mark.parametrize("named", ["flag", "environment", "settings"])
async def test_a_model_that_the_person_names_comes_first(make_walk, named):
    walk = await make_walk(say("one"))
    await walk.say(f"/model {NEWER}")
    await walk.say("first")
    if named == "settings":
        (walk.home / ".ccagent" / "settings.json").write_text(json.dumps({"model": OLDER}), encoding="utf-8")
    flags = Flags(model=OLDER) if named == "flag" else Flags()
    await walk.open(continue_=True, flags=flags, env={"ANTHROPIC_MODEL": OLDER} if named == "environment" else {})
    assert walk.session.status().model == OLDER


@pytest.mark.parametrize("model", ["claude-3-opus-20240229", "<synthetic>"])
async def test_a_foreign_record_does_not_bring_a_model_that_nobody_knows(make_walk, project, model):
    record = answer("b", "a", "text", "one", output=7)
    record["message"]["model"] = model
    lines = [{"type": "user", "uuid": "a", "parentUuid": None, "message": {"role": "user", "content": "hi"}}, record]
    path = project / "theirs.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    walk = await make_walk()
    await walk.open(resume=str(path))
    assert walk.session.status().model == DEFAULT_MODEL


async def test_a_fork_and_a_branch_keep_it_too(make_walk):
    walk = await make_walk(say("one"), say("two"))
    await walk.say(f"/model {NEWER}")
    await walk.say("first")
    await walk.say("/branch")
    assert walk.session.status().model == NEWER
    assert "1 request" in finished(await walk.say("/cost")).text
    await walk.open(continue_=True, fork=True)
    assert walk.session.status().model == NEWER
    assert "1 request" in finished(await walk.say("/cost")).text


async def test_a_choice_that_nobody_answered_yet_is_kept_too(make_walk):
    walk = await make_walk(say("one"), say("two"), summary("S"), say("three"), window=100_000)
    await walk.say("first")
    assert SESSION_MODEL not in walk.transcript_text()  # the answer tells it
    await walk.say("/model opus")
    await walk.open(continue_=True)
    assert walk.session.status().model == NEWER
    await walk.open(continue_=True, flags=Flags(model="haiku"))
    await walk.say("second")
    await walk.compact()
    await walk.open(continue_=True)
    assert walk.session.status().model == "claude-haiku-5-5"
    await walk.open(flags=Flags(model=f"{OLDER}[1m]"))
    await walk.say("third")
    await walk.open(continue_=True)
    assert walk.session.status().model == OLDER
    assert f'"model":"{OLDER}[1m]"' in walk.transcript_text()  # as it was written: the answer does not tell the window


REWROTE = "This turn re-wrote"


async def test_what_a_resume_writes_to_the_cache_again_is_explained(make_walk, project):
    (project / "notes.txt").write_text("some words of notes\n" * 900, encoding="utf-8")
    walk = await make_walk(say("one"), say("two"), say("three"), say("four"))
    await walk.say(f"look at @{project / 'notes.txt'}")
    await walk.open(continue_=True)
    assert not [e for e in of(await walk.say("go on"), Notice) if e.text.startswith(REWROTE)]  # all of it was read
    await walk.open(continue_=True, flags=Flags(disallowed_tools=("Bash",)))
    [line] = [e.text for e in of(await walk.say("go on"), Notice) if e.text.startswith(REWROTE)]
    assert line.endswith("because the tools changed.") or "not as the session was left" in line
    await walk.open(continue_=True, flags=Flags(model=NEWER, disallowed_tools=("Bash",)))
    [line] = [e.text for e in of(await walk.say("go on"), Notice) if e.text.startswith(REWROTE)]
    assert line.endswith("because the model changed.")


async def test_what_a_summary_took_in_vain_is_still_counted_after_a_resume(make_walk):
    walk = await make_walk(say("one " * 2_000), say("<analysis>only</analysis>"), summary("S"))
    await walk.say("first")
    await walk.say("/compact")
    before = finished(await walk.say("/cost")).text
    assert "3 requests" in before
    await walk.open(continue_=True)
    assert cost(finished(await walk.say("/cost")).text) == cost(before)


async def test_a_flag_that_nobody_answered_to_does_not_stay(make_walk):
    walk = await make_walk(say("one"), say("two"))
    await walk.say("first")
    await walk.open(continue_=True, flags=Flags(model="no-such"))
    assert finished(await walk.say("second")).is_error
    await walk.open(continue_=True)
    assert walk.session.status().model == DEFAULT_MODEL
    result = finished(await walk.say("third"))
    assert result.text == "two", result.error


async def test_a_commands_own_model_is_not_that_of_the_session(make_walk):
    walk = await make_walk(say("one"), say("two"))
    commands = walk.home / ".claude" / "commands"
    commands.mkdir(parents=True)
    (commands / "quick.md").write_text("---\nmodel: haiku\n---\nQuickly.", encoding="utf-8")
    await walk.say("first")
    await walk.say("/quick")
    assert walk.bodies()[-1]["model"] == "claude-haiku-5-5"
    await walk.open(continue_=True)
    assert walk.session.status().model == DEFAULT_MODEL


async def test_what_a_compaction_saves_is_told_again_after_undo_and_redo_and_in_a_session_that_goes_on(make_walk):
    walk = await make_walk(say("one " + "word " * 3_000), summary("S-1"), say("two"))

    async def saving() -> str:
        told = finished(await walk.say("/cost")).text
        return told[told.index("Compactions: 1") :].partition(" (~$")[0].partition("counted above) · ")[2]

    await walk.say("first")
    await walk.say("/compact")
    stands = await saving()
    assert not stands.startswith("~0 tokens")
    await walk.say("/compact undo")
    assert (await saving()).startswith("~0 tokens less in each request now")
    await walk.say("/compact redo")
    assert await saving() == stands
    await walk.say("second")
    counted = await saving()
    assert counted != stands
    session = walk.session.id
    await walk.open(resume=session)
    assert await saving() == counted
    await walk.say("/clear")
    await walk.say(f"/resume {session}")
    assert await saving() == counted


async def test_a_model_that_a_full_disk_does_not_note_is_chosen_all_the_same(make_walk):
    walk = await make_walk(say("one"), say("two"))
    await walk.say("first")
    with room_for(0):
        events = await walk.say("/model haiku")
    assert not of(events, Failed) and finished(events).text.startswith("Model: claude-haiku-5-5")
    await walk.say("second")
    await walk.open(continue_=True)
    assert walk.session.status().model == "claude-haiku-5-5" == walk.bodies()[-1]["model"]
