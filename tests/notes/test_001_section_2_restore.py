"""Design note 001, section 2: what a compaction gives back: 5 files and 50K tokens, 10K a file; skills 5K each and 25K in all."""

from pathlib import Path

import pytest

from agent.compact.invoked_skills import SKILL_TOKENS, invoked_skills
from agent.compact.invoked_skills import TOTAL_TOKENS as SKILLS_TOTAL
from agent.compact.restore import FILE_TOKENS, MAX_FILES, TOTAL_TOKENS, restore_files
from agent.protocol.events import CompactFinished
from agent.rehearsal.script import call, reply, say, summary, tool
from agent.tokens.features import estimate_text
from agent.tools.read_state import FileReadState, stamp_of
from tests.walks.conftest import of

TOKENIZER = "v4.8"
LINE = "value = 'a line of a file that goes on and on'\n"


def read_state(folder: Path, sizes: list[int]) -> FileReadState:
    """Files of so many lines, read in that order."""
    state = FileReadState()
    for number, lines in enumerate(sizes):
        file = folder / f"{number}.py"
        file.write_text(f"# FILE-{number}\n" + LINE * lines, encoding="utf-8")
        state.set(file, stamp_of(file.read_bytes(), file.stat()))
    return state


def test_the_numbers_of_the_notes() -> None:
    assert (MAX_FILES, TOTAL_TOKENS, FILE_TOKENS) == (5, 50_000, 10_000)
    assert (SKILL_TOKENS, SKILLS_TOTAL) == (5_000, 25_000)


def test_the_five_latest_files(tmp_path) -> None:
    found = restore_files(read_state(tmp_path, [3] * 8), window=1_000_000, tokenizer=TOKENIZER, may_read=lambda _: True)
    assert [file.path.name for file in found] == ["7.py", "6.py", "5.py", "4.py", "3.py"]


def test_at_most_10k_of_one_file_and_50k_in_all(tmp_path) -> None:
    state = read_state(tmp_path, [3_000] * 6)
    found = restore_files(state, window=1_000_000, tokenizer=TOKENIZER, may_read=lambda _: True)
    sizes = [estimate_text(file.message.text, TOKENIZER) for file in found]
    assert len(found) == 5
    assert all(8_000 < size <= FILE_TOKENS + 100 for size in sizes)
    assert sum(sizes) <= TOTAL_TOKENS + 500
    assert all(file.stamp.partial for file in found)


def test_what_is_denied_vanished_or_binary_is_passed_over(tmp_path) -> None:
    state = read_state(tmp_path, [3] * 4)
    (tmp_path / "3.py").write_bytes(b"\x7fELF\0")
    (tmp_path / "2.py").unlink()
    found = restore_files(state, window=1_000_000, tokenizer=TOKENIZER, may_read=lambda path: path.name != "1.py")
    assert [file.path.name for file in found] == ["0.py"]


async def test_files_are_given_back_as_they_are_on_disk(make_walk, project) -> None:
    for number in range(7):
        (project / f"{number}.py").write_text(f"# FILE-{number} old\n" + LINE * 40, encoding="utf-8")
    reads = [tool("Read", {"file_path": str(project / f"{number}.py")}) for number in range(7)]
    walk = await make_walk(reply(*reads), say("read"), summary("S"), say("on"))
    await walk.say("look")
    (project / "6.py").write_text("# FILE-6 new\n" + LINE * 40, encoding="utf-8")
    receipt = of(await walk.say("/compact"), CompactFinished)[0].receipt
    assert len(receipt.files_restored) == 5
    await walk.say("go on")
    after = walk.texts()[-1]
    assert [number for number in range(7) if f"FILE-{number}" in after] == [2, 3, 4, 5, 6]
    assert "FILE-6 new" in after


def commands(project: Path, **sizes: int) -> None:
    folder = project / ".claude" / "commands"
    folder.mkdir(parents=True)
    for name, lines in sizes.items():
        (folder / f"{name}.md").write_text(
            f"HEAD-{name}: do it so.\n" + LINE * lines + f"END-{name}\n", encoding="utf-8"
        )


async def test_instructions_that_were_invoked_stand_after_a_compaction_once_and_as_no_order(make_walk, project) -> None:
    commands(project, review=5, ship=5, unused=5)
    answers = [say(f"answer {n} " + "word " * 700) for n in range(3)]
    walk = await make_walk(*answers, summary("S"), say("on"))
    for line in ("/review a.py", "/ship", "/review b.py"):
        await walk.say(line)
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    await walk.say("go on")
    after = walk.texts()[-1]
    assert (after.count("HEAD-review"), after.count("HEAD-ship"), after.count("HEAD-unused")) == (1, 1, 0)
    assert "/review b.py`, which the user has used before" in after
    assert "not a new request" in after


async def test_long_instructions_are_cut_at_their_end_and_the_newest_come_first(make_walk, project) -> None:
    commands(project, **{f"skill{number}": 900 for number in range(9)})
    walk = await make_walk(*[say("ok")] * 9)
    session = await walk.open()
    for number in range(9):
        await walk.say(f"/skill{number}")
    given = await invoked_skills(session._state.conversation, window=1_000_000, tokenizer=TOKENIZER)()
    sizes = [estimate_text(message.text, TOKENIZER) for message in given]
    assert sizes[-1] > 3_500
    assert all(size <= SKILL_TOKENS + 100 for size in sizes)
    assert sum(sizes) <= SKILLS_TOTAL + 600
    assert "HEAD-skill8" in given[-1].text
    assert "END-skill8" not in given[-1].text
    assert not any("HEAD-skill0" in message.text for message in given)


@pytest.mark.parametrize("window", [20_000, 100_000])
async def test_in_a_small_window_they_take_no_more_than_a_fifth(make_walk, project, window) -> None:
    commands(project, **{f"skill{number}": 900 for number in range(5)})
    walk = await make_walk(*[say("ok")] * 5)
    session = await walk.open()
    for number in range(5):
        await walk.say(f"/skill{number}")
    given = await invoked_skills(session._state.conversation, window=window, tokenizer=TOKENIZER)()
    assert sum(estimate_text(message.text, TOKENIZER) for message in given) <= window // 5 + 600


async def test_a_file_read_before_can_be_edited_after(make_walk, project) -> None:
    """Read state is kept for unchanged bytes: the edit needs no second reading."""
    file = str(project / "hello.py")
    edit = call("Edit", file_path=file, old_string="hello", new_string="good day")
    walk = await make_walk(call("Read", file_path=file), say("read " * 900), summary("S"), edit, say("done"))
    await walk.say("look")
    await walk.compact()
    await walk.say("change it")
    assert "good day" in (project / "hello.py").read_text(encoding="utf-8")
