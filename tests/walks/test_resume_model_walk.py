"""A session that goes on: by the measure of whichever model it goes on with, with its own model, and its cost with it."""

from agent.api import Flags
from agent.rehearsal.script import call, say, summary
from tests.walks.conftest import finished

OLDER = "claude-opus-4-6"  # counts by the older tokenizer
NEWER = "claude-opus-5-5"


async def compacted_by(walk, model: str, project) -> int:
    """A compacted session without an answer since; what its meter says."""
    (project / "notes.txt").write_text("def some_words(of, code):\n    return of + code\n" * 300, encoding="utf-8")
    await walk.open(flags=Flags(model=model))
    await walk.say(f"look at @{project / 'notes.txt'}")
    await walk.say("and again")
    assert not finished(await walk.say("/compact")).is_error
    return walk.session.reading().used


async def test_what_another_tokenizer_counted_is_converted_at_once_after_a_compaction(make_walk, project):
    walk = await make_walk(say("one " * 3_000), say("two"), summary("S " * 900), say("three"), window=100_000)
    told = await compacted_by(walk, OLDER, project)
    await walk.open(continue_=True, flags=Flags(model=NEWER))
    reading = walk.session.reading()
    assert reading.estimated
    assert 1.15 * told < reading.used < 1.4 * told  # code takes about a quarter more tokens
    await walk.say("on")
    assert not walk.session.reading().estimated


async def test_the_same_model_says_the_same_number_again(make_walk, project):
    walk = await make_walk(say("one " * 3_000), say("two"), summary("S " * 900), window=100_000)
    told = await compacted_by(walk, OLDER, project)
    await walk.open(continue_=True, flags=Flags(model=OLDER))
    assert walk.session.reading().used == told


async def test_an_older_record_that_does_not_say_who_counted_is_converted_too(make_walk, project):
    walk = await make_walk(say("one " * 3_000), say("two"), summary("S " * 900), window=100_000)
    told = await compacted_by(walk, OLDER, project)
    path = walk.session.status().transcript
    await walk.session.close()
    with open(path, encoding="utf-8") as file:
        text = file.read()
    older = text.replace(f'"model":"{OLDER}","usage":{{"input_tokens"', '"usage":{"input_tokens"')
    assert older.count(OLDER) == text.count(OLDER) - 1
    with open(path, "w", encoding="utf-8") as file:
        file.write(older)
    await walk.open(continue_=True, flags=Flags(model=NEWER))
    assert walk.session.reading().used > 1.1 * told
