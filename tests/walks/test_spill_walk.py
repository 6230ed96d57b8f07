"""Large tool results: a preview in the conversation, the whole in a file that can be read back without a question."""

import re
from pathlib import Path

import pytest

from agent.protocol.events import CompactStarted
from agent.rehearsal.script import call, reply, say, tool
from tests.walks.conftest import finished, of

FILLER = "x" * 76  # the rest of one line


@pytest.fixture
def many_lines(project: Path) -> Path:
    """A file of 300 lines, about 25 KB."""
    file = project / "many.txt"
    file.write_text("".join(f"line {n} {FILLER}\n" for n in range(300)), encoding="utf-8")
    return file


def limit_results(walk, tokens: int) -> None:
    """The person's settings say how large a result may be."""
    folder = walk.home / ".ccagent"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(f'{{"experiments": {{"spillLimit": {tokens}}}}}', encoding="utf-8")


def result_text(body) -> str:
    """The text of the result that a request ends with."""
    content = body["messages"][-1]["content"][0]["content"]
    return content if isinstance(content, str) else content[0]["text"]


async def test_a_large_result_goes_to_a_file_and_can_be_read_back(make_walk, many_lines):
    walk = await make_walk(call("Bash", command="cat many.txt"), say("seen"), call("Read"), say("ok"))
    limit_results(walk, 1_000)
    await walk.say("show many.txt")
    shown = result_text(walk.bodies()[1])
    assert len(shown) < 3_000
    assert shown.startswith("line 0 ")
    assert "line 299 " in shown  # errors stand at the end of a command's output
    place = re.search(r"all of it is in (\S+): Read it", shown)[1]
    assert Path(place).read_text(encoding="utf-8").startswith("line 0 ")
    walk.asked.clear()
    walk.api.api.script.replies[2] = call("Read", file_path=place, offset=150, limit=2)
    await walk.say("and line 149?")
    assert "line 149 " in result_text(walk.bodies()[3])
    assert walk.asked == []


async def test_a_file_that_is_read_is_cut_like_a_page_and_not_copied(make_walk, many_lines):
    walk = await make_walk(
        call("Read", file_path=str(many_lines)), call("Write", file_path=str(many_lines), content=""), say("ok")
    )
    limit_results(walk, 1_000)
    await walk.say("empty many.txt")
    shown = result_text(walk.bodies()[1])
    last = int(re.search(r"lines 1-(\d+) of 300\. Go on with offset=(\d+)\.\]$", shown)[1])
    assert 10 < last < 100
    assert f"line {last - 1} " in shown
    assert f"line {last} " not in shown
    assert many_lines.stat().st_size > 20_000  # what was not seen whole must not be overwritten


async def test_in_a_small_window_one_result_takes_at_most_a_quarter(make_walk, many_lines):
    walk = await make_walk(call("Read", file_path=str(many_lines)), say("ok"), window=20_000)
    await walk.say("read it")
    assert 6_000 < len(result_text(walk.bodies()[1])) < 13_000


async def test_a_result_below_the_limit_is_recorded_whole(make_walk, many_lines):
    walk = await make_walk(call("Bash", command="cat many.txt"), say("seen"))
    await walk.say("show many.txt")
    assert result_text(walk.bodies()[1]) == many_lines.read_text(encoding="utf-8").rstrip("\n")


async def test_many_results_that_are_too_much_together_are_shortened_before_they_are_sent(make_walk, many_lines):
    reads = [tool("Bash", {"command": f"head -150 many.txt # {n}"}) for n in range(6)]  # about 4,000 tokens each
    walk = await make_walk(reply(*reads), say("ok"), window=20_000)
    events = await walk.say("read it six times")
    assert finished(events).text == "ok", finished(events)
    assert of(events, CompactStarted) == []
    content = [block["content"] for block in walk.bodies()[1]["messages"][-1]["content"]]
    assert sum("all of it is in" in text for text in content) >= 4
