"""A command of the person's own: in the context, on the screen, and there again when the conversation is resumed."""

import json

from agent.protocol.events import Failed, Interrupted, PromptFinished, ToolFinished, ToolStarted
from agent.rehearsal.script import call, say
from tests.support.disk import room_for
from tests.walks.conftest import finished, of


async def test_its_output_joins_the_conversation_and_is_shown_again_on_resume(make_walk):
    walk = await make_walk(say("I see it."))
    session = await walk.open()
    events = [event async for event in session.run_shell("printf 'FACT-%s\\nlast' 7")]
    assert [event.title for event in of(events, ToolFinished)] == ["! printf 'FACT-%s\\nlast' 7"]
    await walk.say("what do you see?")
    assert "FACT-7" in json.dumps(walk.bodies()[-1])
    again = [(event.title, event.output.text) for event in of(list(walk.session.history()), ToolFinished)]
    assert again == [("! printf 'FACT-%s\\nlast' 7", "FACT-7\nlast")]


async def test_a_command_before_the_first_prompt_takes_nothing_from_the_opening(make_walk, project):
    walk = await make_walk(say("I see it."), say("Still."))
    session = await walk.open()
    assert [event async for event in session.run_shell("true")]
    await walk.say("/pin be brief")
    for prompt in ("first", "second"):
        await walk.say(prompt)
        assert json.dumps(walk.bodies()[-1]).count(f"Working directory: {project}") == 1


async def test_an_interrupt_closes_it(make_walk):
    walk = await make_walk(say("one"))
    session = await walk.open()
    events = []
    async for event in session.run_shell("sleep 3600"):
        events.append(event)
        if isinstance(event, ToolStarted):
            session.interrupt()
    assert isinstance(events[-2], Interrupted)
    assert finished(events).terminal_reason == "aborted_streaming"
    assert finished(await walk.say("go on")).text == "one"


async def test_a_full_disk_is_told_and_closes_it(make_walk):
    walk = await make_walk(say("one"))
    session = await walk.open()
    with room_for(0):
        events = [event async for event in session.run_shell("true")]
    assert [event.failure.what for event in of(events, Failed)] == ["Not saved: the disk is full."]
    assert isinstance(events[-1], PromptFinished) and events[-1].result.is_error
    assert finished(await walk.say("go on")).text == "one"


async def test_a_resumed_call_is_named_as_it_was_when_it_ran(make_walk, project):
    (project / "notes.txt").write_text("x\n", encoding="utf-8")
    walk = await make_walk(call("Read", file_path=str(project / "notes.txt")), say("done"))
    live = of(await walk.say("read it"), ToolFinished)
    assert finished([event async for event in walk.session.prompt("/cost")]) is not None
    recorded = of(list(walk.session.history()), ToolFinished)
    assert [event.title for event in recorded] == [event.title for event in live] == ["Read notes.txt"]


async def test_models_with_a_short_name_can_be_chosen(make_walk):
    walk = await make_walk()
    await walk.open()
    assert [choice.text for choice in walk.session.complete("/model o")] == ["/model opus"]
    assert sum("(now)" in choice.hint for choice in walk.session.complete("/model ")) <= 1
