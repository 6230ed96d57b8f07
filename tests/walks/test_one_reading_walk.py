"""One Reading for the same moment: the bar, /context, -p json, the status line's stdin, a hook's stdin, and what the trigger goes by."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from agent.api import Flags, meter_text, reading_record
from agent.compact.auto_compact import is_due
from agent.protocol.asks import Answer
from agent.protocol.events import Asked, CompactFinished, CompactStarted, MeterChanged, Notice, StatusLineChanged
from agent.rehearsal.script import call, say, summary
from tests.support.patience import until
from tests.walks.conftest import finished, of, used
from tui.headless.records import context_record
from tui.render.meter import numbers

WINDOW = 20_000  # T = 13,400


def settings(home: Path, **values: object) -> None:
    """The person's own settings."""
    folder = home / ".ccagent"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(values), encoding="utf-8")


def watchers(walk) -> tuple[Path, Path]:
    """A status line and a Stop hook that keep what they read."""
    line, hook = walk.home / "line.json", walk.home / "hook.json"
    stop = [{"hooks": [{"type": "command", "command": f"cat > {hook}"}]}]
    settings(
        walk.home,
        statusLine={"type": "command", "command": f"cat > {line}.new; mv {line}.new {line}; cat {line}"},
        hooks={"Stop": stop, "PreCompact": stop},
    )
    return line, hook


async def read(file: Path, used_tokens: int | None) -> dict[str, object]:
    """What the status line read, once it is about this moment."""
    await until(
        lambda: file.exists() and json.loads(file.read_text())["context"]["used"] == used_tokens,
        f"{used_tokens} in the status line",
    )
    said: dict[str, object] = json.loads(file.read_text())
    return said


async def everywhere(walk, line: Path) -> tuple[int | None, bool]:
    """Every consumer asked at this moment; they must say the same. Returns the number and whether it is an estimate."""
    reading = walk.session.reading()
    record = reading_record(reading)
    assert context_record(reading) == record
    shown = re.match(r"(~?)([\d,]+) / ([\d,]+)", numbers(reading))
    assert shown is not None
    assert int(shown[2].replace(",", "")) == record["used"]
    assert (shown[1] == "~") == reading.estimated
    said = await read(line, reading.used)
    assert {name: said["context"][name] for name in record} == record
    assert said["context"]["estimated"] == reading.estimated
    assert said["context_window"]["context_window_size"] == reading.window
    assert said["context_window"]["used_percentage"] == round(100 * reading.used / reading.window)
    text = finished(await walk.say("/context")).text
    assert f"{shown[1]}{reading.used:,}" in text
    rows = re.findall(r"^\| (?!Category|N |Free space|Auto-compact buffer)([A-Z][^|]*) \| ([\d,]+) \|", text, re.M)
    assert sum(int(tokens.replace(",", "")) for _, tokens in rows) == reading.used
    deps = walk.session._state.deps(lambda _event: asyncio.sleep(0)).compact
    assert deps.reading() == reading  # the trigger's own number
    assert await is_due(deps, reading, mid_turn=False) == (reading.used >= 13_400)
    return reading.used, reading.estimated


async def test_every_consumer_says_the_same_at_every_moment(make_walk, project):
    walk = await make_walk(
        call("Read", file_path=str(project / "hello.py")),
        say("one", usage=used(9_000)),
        say("two", usage=used(12_000)),
        summary("S-1"),
        say("three", usage=used(5_000)),
        say("four", usage=used(6_000)),
        window=WINDOW,
    )
    line, hook = watchers(walk)
    await walk.say("first")
    assert json.loads(hook.read_text())["context"] == reading_record(walk.session.reading())
    assert await everywhere(walk, line) == (9_000, False)
    await walk.say("second")
    assert json.loads(hook.read_text())["context"]["used"] == 12_000
    assert await everywhere(walk, line) == (12_000, False)
    events = await walk.say("/compact")  # the compaction call itself never counts
    assert json.loads(hook.read_text())["context"]["used"] == 12_000  # PreCompact
    after, estimated = await everywhere(walk, line)
    assert estimated
    assert after == of(events, CompactFinished)[0].receipt.post_tokens
    assert json.loads(line.read_text())["context_window"]["current_usage"] is None
    await walk.say("third")
    assert await everywhere(walk, line) == (5_000, False)
    await walk.say("/rewind 3")
    rewound, estimated = await everywhere(walk, line)
    assert estimated
    assert rewound < 5_000
    await walk.say("/rewind undo")
    assert await everywhere(walk, line) == (5_000, False)
    await walk.open(continue_=True)
    await walk.session.start()
    assert await everywhere(walk, line) == (5_000, False)
    await walk.say("/model claude-opus-4-6")  # another tokenizer: what was counted, converted
    used_now, estimated = await everywhere(walk, line)
    assert estimated
    assert 2_500 < used_now < 5_000
    await walk.say("/clear")
    empty, estimated = await everywhere(walk, line)
    assert estimated
    assert empty < 4_000


async def test_the_number_that_fires_is_the_number_that_was_shown(make_walk):
    walk = await make_walk(say("one", usage=used(13_400)), summary("S"), say("two"), window=WINDOW)
    events = await walk.say("first")
    assert of(events, MeterChanged)[-1].reading.used == 13_400
    events = await walk.say("second")
    assert of(events, CompactStarted)[0].pre_tokens == 13_400


async def test_a_compacted_session_is_resumed_at_what_it_will_send_and_not_at_what_it_was(make_walk):
    walk = await make_walk(say("one"), say("two", usage=used(12_000)), summary("S"), say("three"), window=WINDOW)
    await walk.say("first")
    await walk.say("second")
    events = await walk.say("/compact")
    after = of(events, CompactFinished)[0].receipt.post_tokens
    await walk.open(continue_=True)
    reading = walk.session.reading()
    assert reading.estimated
    assert reading.used == pytest.approx(after, rel=0.1)


async def test_the_same_bytes_have_the_same_number_after_undo_redo_and_resume(make_walk):
    walk = await make_walk(say("one"), say("two", usage=used(12_000)), summary("S"), say("three"), window=WINDOW)
    await walk.say("first")
    await walk.say("second")
    await walk.compact()
    after = walk.session.reading()
    for line in ("/compact undo", "/compact redo"):
        await walk.say(line)
    assert (walk.session.reading().used, walk.session.reading().estimated) == (after.used, True)
    await walk.open(continue_=True)
    assert (walk.session.reading().used, walk.session.reading().estimated) == (after.used, True)


async def test_an_item_left_out_and_taken_back_leaves_the_count(make_walk, project):
    walk = await make_walk(
        call("Read", file_path=str(project / "hello.py")), say("one", usage=used(9_000)), window=WINDOW
    )
    await walk.say("first")
    await walk.say("/context drop 1")
    assert walk.session.reading().estimated
    await walk.say("/context undo")
    assert (walk.session.reading().used, walk.session.reading().estimated) == (9_000, False)
    await walk.open(continue_=True)
    assert (walk.session.reading().used, walk.session.reading().estimated) == (9_000, False)


async def test_an_edit_made_before_leaving_is_in_the_number_after_coming_back(make_walk, project):
    (project / "big.txt").write_text("a line of many words to fill the context\n" * 200, encoding="utf-8")
    walk = await make_walk(call("Read", file_path=str(project / "big.txt")), say("one"), window=100_000)
    await walk.say("first")
    full = walk.session.reading().used
    items = finished(await walk.say("/context")).text
    number = re.search(r"^\| (\d+) \| Message \d+: result of Read", items, re.M)[1]
    await walk.say(f"/context drop {number}")
    dropped = walk.session.reading().used
    assert dropped < full - 1_500
    await walk.open(continue_=True)
    assert walk.session.reading().estimated
    assert walk.session.reading().used == pytest.approx(
        dropped, rel=0.1
    )  # what the record teaches of the tokenizer is known again


async def test_a_pin_does_not_make_a_count_an_estimate(make_walk):
    walk = await make_walk(say("one", usage=used(9_000)), say("two", usage=used(12_000)), summary("S"), window=WINDOW)
    await walk.say("first")
    await walk.say("/pin keep the API")
    await walk.say("second")
    await walk.compact()
    await walk.say("/pin never touch the vendor folder")
    await walk.say("/compact undo")
    assert walk.session.reading().used == 12_000
    await walk.open(continue_=True)
    assert walk.session.reading().used == 12_000
    await walk.say("/rewind 2")
    assert walk.session.reading().used == pytest.approx(9_000, abs=50)  # and the line that told the model of the pin


async def test_the_status_line_is_never_waited_for_and_a_failure_is_told_once(make_walk):
    walk = await make_walk(say("one").times(3), window=WINDOW)
    ran = walk.home / "ran"
    settings(walk.home, statusLine={"type": "command", "command": f"echo x >> {ran}; echo broken >&2; exit 3"})
    session = await walk.open()
    told: list[object] = []

    async def follow() -> None:
        async for event in session.events():
            told.append(event)

    following = asyncio.create_task(follow())
    await walk.say("first")
    await until(lambda: any("status line" in event.text for event in of(told, Notice)))
    times = len(ran.read_text().split())
    await walk.say("second")
    await until(lambda: len(ran.read_text().split()) > times)
    await asyncio.sleep(0.3)
    await session.close()
    await following
    complaints = [event.text for event in of(told, Notice) if "status line" in event.text]
    assert complaints == ["The status line command failed: exit code 3: broken"]
    assert of(told, StatusLineChanged) == []


async def test_a_status_line_that_hangs_ends_with_the_session_and_leaves_no_child(make_walk):
    walk = await make_walk(say("one"), window=WINDOW)
    mark = walk.home / "pid"
    settings(walk.home, statusLine={"type": "command", "command": f"echo $$ > {mark}; sleep 600"})
    await walk.say("first")
    await until(lambda: mark.exists() and mark.read_text().strip())
    await walk.session.close()
    assert not Path(f"/proc/{mark.read_text().strip()}").exists()


async def test_a_project_s_status_line_needs_trust_and_switched_off_hooks_switch_it_off(make_walk, project):
    mark = project / "ran"
    (project / ".claude").mkdir()
    line = {"statusLine": {"type": "command", "command": f"touch {mark}"}}
    (project / ".claude" / "settings.json").write_text(json.dumps(line), encoding="utf-8")
    walk = await make_walk(say("one").times(3), window=WINDOW)
    session = await walk.open()

    async def refuse() -> None:
        async for event in session.events():
            if isinstance(event, Asked):
                session.answer(event.id, Answer("deny"))

    refusing = asyncio.create_task(refuse())
    await walk.say("first")
    await asyncio.sleep(0.6)
    assert not mark.exists()
    await session.close()
    await refusing
    await walk.open(flags=Flags(trust=True, settings='{"disableAllHooks": true}'))
    await walk.say("second")
    await asyncio.sleep(0.6)
    assert not mark.exists()


async def test_the_words_beside_the_bar_go_by_the_same_reading(make_walk):
    walk = await make_walk(say("one", usage=used(11_000)), window=WINDOW)
    await walk.say("first")
    reading = walk.session.reading()
    assert meter_text(reading, auto=reading.auto, compact_disabled=False) == "Context left until auto-compact: 17%"
    assert finished(await walk.say("/autocompact")).text.startswith("Auto-compact is on: auto-compact at 13,400")
