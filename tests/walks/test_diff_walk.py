"""`/compact diff`: what became of each block, added up, and where the rest can be found."""

import re
from pathlib import Path

import pytest

from agent.compact.diff import CompactDiff, Fate, Kind, latest_diff
from agent.compact.readable_record import record_folder
from agent.rehearsal.script import call, fail, reply, say, summary, thinking, tool
from agent.transcript.view import model_view
from tests.walks.conftest import Walk, finished

LONG = "word " * 3_000


async def lived(make_walk, project, *after) -> Walk:
    (project / "other.txt").write_text("x\n" * 400, encoding="utf-8")
    walk = await make_walk(
        reply(thinking("deep thought"), tool("Read", {"file_path": str(project / "hello.py")})),
        call("Bash", command="cat other.txt"),
        say(f"looked at it {LONG}"),
        say("second done"),
        *after,
    )
    await walk.say("look at [it] `now` | please, you must keep RULE-1")
    await walk.say("and second")
    return walk


def diff_of(walk: Walk) -> CompactDiff:
    return latest_diff(walk.session._state.conversation)


def piece(diff: CompactDiff, words: str, kind: Kind):
    return next(piece for piece in diff.pieces if words in piece.name and piece.kind is kind)


async def test_each_block_has_a_fate_and_they_add_up(make_walk, project):
    walk = await lived(make_walk, project, summary("we looked at hello.py"))
    await walk.compact()
    diff, conversation = diff_of(walk), walk.session._state.conversation
    before = model_view(conversation.transcript.entries(), diff.boundary.logical_parent_uuid)
    counter = conversation.meter.counter
    assert sum(diff.tokens(fate) for fate in Fate) == counter.messages(entry.message for entry in before)
    assert len(diff.pieces) == sum(len(entry.message.blocks) for entry in before)
    assert piece(diff, "look at [it]", Kind.PROMPT).fate is Fate.KEPT  # among the person's own words
    assert piece(diff, "thinking", Kind.THINKING).fate is Fate.DROPPED
    assert piece(diff, "looked at it", Kind.ANSWER).fate is Fate.SUMMARISED
    assert piece(diff, "hello.py", Kind.RESULT).fate is Fate.SUMMARISED
    assert piece(diff, "cat other.txt", Kind.RESULT).fate is Fate.DROPPED
    assert piece(diff, "second done", Kind.ANSWER).fate is Fate.KEPT  # in the kept tail


async def test_the_text_names_the_largest_and_every_record_can_be_found(make_walk, project):
    walk = await lived(make_walk, project, summary("S"))
    await walk.compact()
    text = finished(await walk.say("/compact diff")).text
    folder = Path(re.search(r"read in `([^`]+)`", text)[1])
    assert folder == record_folder(Path(walk.session.status().transcript))
    record = next(folder.iterdir()).read_text(encoding="utf-8")
    rows = re.findall(r"^- ~[\d,]+ (?!thinking)[^:]+: `.+` · `([^`]+)`$", text, re.MULTILINE)
    assert rows and all(name in record for name in rows)
    assert "| tool results |" in text and "| all |" in text
    pre, post = diff_of(walk).boundary.pre_tokens, diff_of(walk).boundary.post_tokens
    assert f"{pre:,} → {post:,} tokens (manual)" in text


async def test_the_same_after_a_resume_and_gone_after_an_undo(make_walk, project):
    walk = await lived(make_walk, project, summary("S"), say("on"))
    await walk.compact()
    text = finished(await walk.say("/compact diff")).text
    await walk.say("later words")
    assert finished(await walk.say("/compact diff")).text == text
    await walk.open(resume=walk.session.id)
    assert finished(await walk.say("/compact diff")).text == text
    await walk.say("/compact undo")
    result = finished(await walk.say("/compact diff"))
    assert result.is_error and "no compaction" in result.error


@pytest.mark.parametrize(("direction", "thought"), [("from", Fate.KEPT), ("up-to", Fate.DROPPED)])
async def test_what_a_part_kept_is_kept(make_walk, project, direction, thought):
    walk = await make_walk(
        reply(thinking("one"), tool("Read", {"file_path": str(project / "hello.py")})),
        say(f"first {LONG}"),
        say(f"second {LONG}"),
        reply(thinking("three"), tool("Bash", {"command": "echo three"})),
        say(f"third {LONG}"),
        summary("S"),
    )
    for prompt in ("one", "two", "three"):
        await walk.say(prompt)
    listed = finished(await walk.say(f"/compact {direction}")).text
    m = next(row.split("|")[1].strip() for row in listed.splitlines() if "`two`" in row)
    await walk.compact(f"/compact {direction} {m}")
    diff = diff_of(walk)
    kept, gone = ("first", "third") if direction == "from" else ("third", "first")
    assert piece(diff, kept, Kind.ANSWER).fate is Fate.KEPT
    assert piece(diff, gone, Kind.ANSWER).fate is Fate.SUMMARISED
    thoughts = [each.fate for each in diff.pieces if each.kind is Kind.THINKING]
    assert thoughts == ([thought, Fate.DROPPED] if direction == "from" else [Fate.DROPPED, thought])


async def test_an_extract_is_a_summary_too(make_walk, project):
    walk = await lived(make_walk, project, *[fail(413)] * 6)
    await walk.compact()
    assert piece(diff_of(walk), "cat other.txt", Kind.CALL).fate is Fate.SUMMARISED  # the extract names the command


async def test_no_compaction_is_said_and_headless_prints_markdown(make_walk, project):
    walk = await lived(make_walk, project, summary("S"))
    result = finished(await walk.say("/compact diff"))
    assert result.is_error and "/compact preview" in result.error
    await walk.open(interactive=False, resume=walk.session.id)
    await walk.compact()
    assert finished(await walk.say("/compact diff")).text.startswith("## What the compaction did\n")
