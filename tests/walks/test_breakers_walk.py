"""What rests automatic compaction and what does not: refills, vetoes, failures at the limit."""

import json

import pytest

from agent.protocol.events import CompactFailed, CompactFinished, CompactProgress, CompactStarted
from agent.rehearsal.script import fail, reply, say, summary, text, too_long, tool
from tests.walks.conftest import finished, of, used

SERVER_ERROR = fail(500, headers={"x-should-retry": "false"})


async def test_after_thrashing_prompts_are_answered_without_another_compaction(make_walk, project):
    step = reply(tool("Read", {"file_path": str(project / "hello.py")}), usage=used(14_000))
    walk = await make_walk(
        step.when(compaction=False, repeat=4),
        summary("S").when(compaction=True, repeat=0),
        say("answered", usage=used(14_000)).times(3),
        window=20_000,
    )
    assert finished(await walk.say("go on and on")).terminal_reason == "rapid_refill_breaker"
    assert len(walk.compactions()) == 3
    for line in ("and now", "and then"):
        events = await walk.say(line)
        assert finished(events).text == "answered"
        assert of(events, CompactStarted) == []
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1


async def test_a_veto_is_no_failure_to_the_breaker(make_walk, project):
    no = project / "no"
    no.touch()
    hook = {"PreCompact": [{"hooks": [{"type": "command", "command": f"test -e {no} && exit 2 || true"}]}]}
    walk = await make_walk(
        say("on", usage=used(14_000)).when(compaction=False, repeat=0),
        summary("S").when(compaction=True, repeat=0),
        window=20_000,
    )
    (walk.home / ".claude").mkdir()
    (walk.home / ".claude" / "settings.json").write_text(json.dumps({"hooks": hook}), encoding="utf-8")
    await walk.say("first")
    for number in range(4):
        assert [event.kind for event in of(await walk.say(f"prompt {number}"), CompactFailed)] == ["vetoed"]
    no.unlink()
    assert len(of(await walk.say("and now"), CompactFinished)) == 1


async def test_a_prompt_that_would_cross_the_limit_is_let_in_by_extracts_when_no_summary_can_be_had(make_walk):
    walk = await make_walk(
        say("one", usage=used(14_500)), SERVER_ERROR.when(compaction=True, repeat=0), say("two"), window=20_000
    )
    await walk.say("first FACT-1")
    events = await walk.say("second " + "and many more words of it " * 300)
    assert of(events, CompactFinished)[0].receipt.extractive
    assert finished(events).text == "two"
    assert "FACT-1" in walk.texts()[-1]


async def test_a_compaction_that_fails_in_mid_loop_is_not_tried_again_until_the_person_speaks(make_walk, project):
    step = reply(tool("Read", {"file_path": str(project / "hello.py")}), usage=used(14_000))
    walk = await make_walk(
        step.when(compaction=False, repeat=4),
        reply(text(" ")).when(compaction=True, repeat=0),
        say("done", usage=used(14_000)).times(2),
        window=20_000,
    )
    assert len(of(await walk.say("work"), CompactFailed)) == 1
    assert len(of(await walk.say("and more"), CompactFailed)) == 1


async def test_reactive_compaction_rests_with_the_breaker_and_the_person_still_can(make_walk):
    walk = await make_walk(
        say("on", usage=used(14_000)).when("prompt", compaction=False, repeat=0),
        too_long(20_400, 20_000).when("and now", compaction=False),
        SERVER_ERROR.when(compaction=True, repeat=3),
        summary("S").when(compaction=True, repeat=0),
        window=20_000,
    )
    for number in range(4):
        await walk.say(f"prompt {number}")
    assert len(walk.compactions()) == 3
    events = await walk.say("and now")
    assert finished(events).terminal_reason == "prompt_too_long"
    assert len(walk.compactions()) == 3
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    assert not finished(await walk.say("at last?")).is_error


async def test_what_session_start_hooks_add_is_left_out_rather_than_compacted_again(make_walk):
    words = "python3 -c \"print('HOOK-WORD ' * 950)\""
    hook = {"SessionStart": [{"matcher": "compact", "hooks": [{"type": "command", "command": words}]}]}
    walk = await make_walk(say("one " * 400, usage=used(8_000)), summary("S"), say("two"), say("three"), window=20_000)
    (walk.home / ".claude").mkdir()
    (walk.home / ".claude" / "settings.json").write_text(json.dumps({"hooks": hook}), encoding="utf-8")
    await walk.open(env={"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "22"})
    await walk.say("first")
    events = await walk.say("second")
    assert of(events, CompactFinished)[0].receipt.post_tokens < 4_400
    assert any("does not fit and is left out" in event.note for event in of(events, CompactProgress))
    assert "HOOK-WORD" not in walk.texts()[-1]
    assert of(await walk.say("third"), CompactStarted) == []


async def test_what_a_compaction_spent_in_vain_is_counted(make_walk):
    walk = await make_walk(
        say("one", usage=used(14_000)),
        say(" ").times(2),
        say("two", usage=used(14_000)),
        say(" ").times(2),
        window=20_000,
    )
    turn = finished(await walk.say("first")).cost
    events = await walk.say("second")
    assert of(events, CompactFailed)[0].spent.requests == 2
    (spent,) = finished(events).by_model.values()
    assert spent.requests == 3
    assert finished(events).cost > turn
    failed = finished(await walk.say("/compact"))
    assert failed.is_error
    assert failed.cost > 0
    assert walk.spent() == pytest.approx(turn + finished(events).cost + failed.cost)
