"""`/compact preview` and `autoCompactApprove`: seen before it happens, changed by the person, and a no that leaves no trace."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from agent.protocol.asks import Answer, Preview
from agent.protocol.events import (
    Asked,
    AssistantDone,
    CompactFailed,
    CompactFinished,
    CompactStarted,
    Interrupted,
    PromptFinished,
)
from agent.rehearsal.script import call, fail, reply, say, summary, tool
from tests.support.patience import PATIENCE
from tests.walks.conftest import Walk, finished, of, used

NO = Answer("deny")


def answers(*given: Answer):
    """Answers previews one after another; whatever else is asked is allowed."""
    left = iter(given)
    return lambda ask: next(left) if isinstance(ask, Preview) else Answer("once")


def previews(walk: Walk) -> list[Preview]:
    return [ask for ask in walk.asked if isinstance(ask, Preview)]


def tree(*folders: Path) -> dict[str, bytes]:
    """Every file and folder, but for logs and git's own."""
    found = [path for folder in folders for path in sorted(folder.rglob("*"))]
    kept = [path for path in found if "logs" not in path.parts and ".git" not in path.parts]
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in kept}


def settings(walk: Walk, **values: object) -> None:
    folder = walk.home / ".ccagent"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(values), encoding="utf-8")


async def talked(make_walk, *after, **server) -> Walk:
    walk = await make_walk(call("Bash", command="echo made"), say("done"), *after, **server)
    await walk.say("you must keep RULE-1")
    return walk


@pytest.mark.parametrize("given", [(NO,), (Answer("deny", "not now"),), (Answer("once"), NO)])
async def test_a_no_leaves_every_byte_as_it_was(make_walk, project, given):
    walk = await talked(make_walk, summary("S"), say("on"))
    mark = project / "hook-ran"
    settings(
        walk,
        hooks={"SessionStart": [{"matcher": "compact", "hooks": [{"type": "command", "command": f"touch {mark}"}]}]},
    )
    await walk.session.start()
    sent = len(walk.bodies())
    before = tree(project, walk.home)
    events = await walk.say("/compact preview", answers(*given))
    assert finished(events).text == "The conversation is as it was."
    assert of(events, CompactFailed)[0].kind == "cancelled"
    assert of(events, CompactFinished) == []
    assert tree(project, walk.home) == before
    assert len(walk.bodies()) - sent == len(given) - 1
    await walk.say("go on")
    assert "RULE-1" in walk.texts()[-1] and '"S"' not in walk.texts()[-1]


async def test_the_forecast_comes_first_then_the_summary_itself(make_walk):
    walk = await talked(make_walk, summary("THE SUMMARY"), say("on"))
    receipt = of(await walk.say("/compact preview"), CompactFinished)[0].receipt
    first, second = previews(walk)
    assert first.summary == "" and "THE SUMMARY" in second.summary
    assert "| summary of " in first.report
    assert f"~{first.tokens_before:,} → ~{first.tokens_after:,} tokens" in first.report
    assert "~$" in first.report and " s " in first.report
    assert "rules 1/1" in second.report and "spent" in second.report
    assert second.tokens_after == receipt.post_tokens
    assert first.tokens_after == pytest.approx(receipt.post_tokens, abs=400)


async def test_the_forecast_says_so_when_there_is_nothing_to_gain(make_walk):
    walk = await make_walk(say("done"), say("Much is to be said of it. " * 2_000))
    await walk.say("short")
    await walk.say("/compact preview", NO)
    await walk.say("long")
    await walk.say("/compact preview", NO)
    short, long = previews(walk)
    assert short.tokens_after >= short.tokens_before and long.tokens_after < long.tokens_before
    assert ("Nothing would be gained" in short.report, "Nothing would be gained" in long.report) == (True, False)


async def test_the_forecast_of_a_long_conversation_is_near_what_comes_of_it(make_walk, project):
    code = "\n".join(
        f"def handler_{n}(request): return Response(status={n}, body=load('item_{n}'))" for n in range(250)
    )
    turns = []
    for number in range(10):
        (project / f"module_{number}.py").write_text(code.replace("handler", f"view{number}"), encoding="utf-8")
        turns += [
            call("Read", file_path=str(project / f"module_{number}.py")),
            say(f"Module {number} holds views. " * 40),
        ]
    walk = await make_walk(
        *turns, summary("\n".join(f"- view{n // 100}_{n} loads item_{n}" for n in range(300))), say("on")
    )
    for number in range(10):
        await walk.say(f"look at module {number}, you must keep the names")
    receipt = of(await walk.say("/compact preview"), CompactFinished)[0].receipt
    forecast = previews(walk)[0]
    assert forecast.tokens_before == pytest.approx(receipt.pre_tokens, rel=0.01) and receipt.pre_tokens > 60_000
    sent = of(await walk.say("go on"), AssistantDone)[0].usage
    assert forecast.tokens_after == pytest.approx(sent.prompt, rel=0.1)


async def test_names_in_use_are_counted_as_they_are_and_not_by_the_room_for_them(make_walk):
    walk = await make_walk(*(say(f"word {n} " * 1_500) for n in range(3)), summary("S"))
    for line in ("one", "two", "three"):
        await walk.say(line)
    await walk.say("/compact preview", answers(NO))
    assert "| summary of" in previews(walk)[0].report
    assert "names in use" not in previews(walk)[0].report  # there are none


async def test_the_person_may_give_instructions(make_walk):
    walk = await talked(make_walk, summary("S"))
    await walk.say("/compact preview", answers(Answer("once", edited="keep the TABLE"), Answer("once")))
    assert "keep the TABLE" in walk.texts()[-1]


async def test_a_hook_hears_the_instructions_as_the_person_left_them_and_nothing_of_a_no(make_walk, tmp_path):
    heard = tmp_path / "heard.json"
    walk = await talked(make_walk, summary("S"))
    hook = {"type": "command", "command": f"cat >> {heard}"}
    settings(walk, hooks={"PreCompact": [{"hooks": [hook]}]})
    await walk.say("/compact preview", NO)
    assert not heard.exists()
    await walk.say("/compact preview", answers(Answer("once", edited="keep the TABLE"), Answer("once")))
    assert json.loads(heard.read_text(encoding="utf-8"))["custom_instructions"] == "keep the TABLE"


async def test_the_person_may_edit_the_summary_and_the_ledger_still_checks_it(make_walk):
    walk = await talked(make_walk, summary("S"), say("on"))
    await walk.say("/compact preview", answers(Answer("once"), Answer("once", edited="MY OWN WORDS")))
    await walk.say("go on")
    after = walk.texts()[-1]
    assert "MY OWN WORDS" in after and "RULE-1" in after
    assert "\\n\\nS\\n" not in after


async def test_another_summary_by_further_instructions_both_are_paid(make_walk):
    walk = await talked(make_walk, summary("FIRST"), summary("SECOND"), say("on"))
    given = answers(Answer("once"), Answer("deny", edited="more about the parser"), Answer("once"))
    receipt = of(await walk.say("/compact preview", given), CompactFinished)[0].receipt
    assert [ask.summary for ask in previews(walk)] == ["", "FIRST", "SECOND"]
    assert "more about the parser" in walk.texts()[-1]
    await walk.say("go on")
    assert "SECOND" in walk.texts()[-1] and "FIRST" not in walk.texts()[-1]
    spent = [float(ask.report.split("$")[1].split(" ")[0]) for ask in previews(walk)[1:]]
    assert spent[1] > spent[0] and receipt.cost > 0


async def test_a_summary_is_not_lost_when_no_other_can_be_had(make_walk):
    walk = await talked(make_walk, summary("FIRST"), say(" ").times(2), say("on"))
    given = answers(Answer("once"), Answer("deny", edited="shorter"), Answer("once"))
    events = await walk.say("/compact preview", given)
    assert of(events, CompactFinished)
    assert [spent.requests for spent in finished(events).by_model.values()] == [3]
    assert [ask.summary for ask in previews(walk)] == ["", "FIRST", "FIRST"]
    assert "No other summary could be had" in previews(walk)[2].report
    await walk.say("go on")
    assert "FIRST" in walk.texts()[-1]


async def test_yes_and_do_not_ask_again_installs_at_once(make_walk):
    walk = await talked(make_walk, summary("S"))
    assert of(await walk.say("/compact preview", Answer("session")), CompactFinished)
    assert len(previews(walk)) == 1
    assert not walk.session.status().running


@pytest.mark.parametrize(("edited", "said"), [("   ", "empty"), ("long " * 15_000, "there is room for")])
async def test_an_edit_that_cannot_be_installed_is_given_back(make_walk, edited, said):
    walk = await talked(make_walk, summary("S"), window=20_000)
    await walk.say(
        "/compact preview", answers(Answer("once"), Answer("once", edited=edited), Answer("once", edited="FINE"))
    )
    third = previews(walk)[2]
    assert said in third.report and third.summary == edited.strip()
    assert of(await walk.say("/compact undo"), PromptFinished)


async def test_a_yes_to_an_edit_that_cannot_be_installed_asks_again(make_walk):
    walk = await talked(make_walk, summary("S"), say("on"), window=20_000)
    edit = Answer("once", edited="long " * 15_000)
    given = answers(Answer("once"), edit, Answer("once"), Answer("once", edited="FINE"))
    assert of(await walk.say("/compact preview", given), CompactFinished)
    assert ["there is room for" in ask.report for ask in previews(walk)] == [False, False, True, True]
    await walk.say("go on")
    assert "FINE" in walk.texts()[-1] and "long long" not in walk.texts()[-1]


async def test_headless_prints_the_forecast_and_sends_nothing(make_walk, project):
    walk = await make_walk(say("done"))
    await walk.open(interactive=False)
    await walk.say("hello")
    before = tree(project, walk.home)
    result = finished(await walk.say("/compact preview"))
    assert not result.is_error and "→ ~" in result.text and "| After it | Tokens |" in result.text
    assert "stay valid" in result.text
    assert walk.asked == [] and len(walk.bodies()) == 1
    assert tree(project, walk.home) == before


async def test_a_process_that_comes_back_at_once_finds_the_cache_warm_and_an_hour_later_cold(make_walk):
    walk = await make_walk(say("done"))
    await walk.open(interactive=False)
    await walk.say("hello")
    path = Path(walk.session.status().transcript)
    await walk.open(interactive=False, resume=path.stem)
    assert "stay valid" in finished(await walk.say("/compact preview")).text
    await walk.session.close()
    walk.session = None
    path.write_text(
        re.sub(r'"timestamp":"20\d\d', '"timestamp":"2001', path.read_text(encoding="utf-8")), encoding="utf-8"
    )
    await walk.open(interactive=False, resume=path.stem)
    assert "The cache is cold" in finished(await walk.say("/compact preview")).text


async def test_nothing_to_preview(make_walk):
    walk = await make_walk()
    result = finished(await walk.say("/compact preview"))
    assert result.is_error and "Not enough messages to compact." in result.error


async def test_an_interrupt_at_the_question_changes_nothing(make_walk):
    walk = await talked(make_walk, summary("S"), say("on"))
    before = walk.transcript_text()
    events = []
    async for event in walk.session.prompt("/compact preview"):
        events.append(event)
        if isinstance(event, Asked) and isinstance(event.ask, Preview) and not event.ask.summary:
            walk.yes(event)
        elif isinstance(event, Asked):
            walk.session.interrupt()
    assert of(events, Interrupted) and of(events, CompactFailed)[0].kind == "cancelled"
    assert walk.transcript_text() == before


# ---- autoCompactApprove


async def at_the_threshold(make_walk, *after, env: dict[str, str] | None = None, **options) -> Walk:
    walk = await make_walk(reply(*say("big").blocks, usage=used(14_000)), *after, window=20_000)
    settings(walk, autoCompactApprove=True)
    await walk.open(**options)
    await walk.say("prompt 1")
    return walk


async def test_an_automatic_compaction_is_asked_about(make_walk):
    walk = await at_the_threshold(make_walk, summary("S"), say("on"))
    events = await walk.say("prompt 2", answers(Answer("once"), Answer("once")))
    assert [ask.automatic for ask in previews(walk)] == [True, True]
    assert of(events, CompactFinished)[0].receipt.trigger == "auto"


async def test_a_no_lets_the_prompt_go_on_and_is_no_failure(make_walk):
    walk = await at_the_threshold(
        make_walk, *[reply(*say("ok").blocks, usage=used(14_000))] * 4, summary("S"), say("on")
    )
    for number in range(4):
        events = await walk.say(f"prompt {number}", NO)
        assert not finished(events).is_error and of(events, CompactStarted) == []
    assert len(previews(walk)) == 4
    assert of(await walk.say("prompt 9", Answer("session")), CompactFinished)


async def test_a_no_at_the_limit_holds_the_prompt(make_walk):
    walk = await make_walk(reply(*say("big").blocks, usage=used(15_800)), window=20_000)
    settings(walk, autoCompactApprove=True)
    await walk.say("prompt 1")
    result = finished(await walk.say("prompt 2", NO))
    assert result.is_error and "/compact or /clear to continue" in result.error and "hook" not in result.error
    assert len(walk.bodies()) == 1


async def test_do_not_ask_again_lasts_for_the_session(make_walk):
    big = reply(*say("big").blocks, usage=used(14_000))
    walk = await at_the_threshold(make_walk, summary("S"), big, summary("S"), say("on"))
    assert of(await walk.say("prompt 2", Answer("session")), CompactFinished)
    assert of(await walk.say("prompt 3"), CompactFinished)
    assert len(previews(walk)) == 1
    assert len(walk.compactions()) == 2


async def test_where_nobody_can_be_asked_it_goes_ahead(make_walk):
    walk = await at_the_threshold(make_walk, summary("S"), say("on"), interactive=False)
    events = await walk.say("prompt 2")
    assert of(events, CompactFinished) and walk.asked == []


async def test_a_no_in_the_middle_of_a_loop_after_the_api_refused(make_walk, project):
    walk = await make_walk(
        say("ready"),
        reply(tool("Read", {"file_path": str(project / "hello.py")})),
        fail(400, message="prompt is too long: 210000 tokens > 200000 maximum"),
        say("on"),
    )
    settings(walk, autoCompactApprove=True)
    await walk.say("hello")
    result = finished(await walk.say("read it", NO))
    assert result.is_error and "too long" in result.error
    assert not finished(await walk.say("go on")).is_error


async def test_a_question_left_open_ends_with_the_session(make_walk):
    walk = await talked(make_walk)
    stream = walk.session.prompt("/compact preview")
    async for event in stream:
        if isinstance(event, Asked):
            break
    before = walk.transcript_text()
    async with asyncio.timeout(PATIENCE):
        await walk.session.close()
    assert walk.transcript_text() == before
