"""One prompt to its answer through every floor: read, edit, run, remember."""

import time

import pytest

from agent.api import Flags
from agent.protocol.asks import Answer, Ask
from agent.protocol.events import AssistantDone, Notice, PromptAccepted, PromptFinished, ToolFinished
from agent.protocol.results import Subtype
from agent.rehearsal.script import call, calls, reply, say, text, think, tool
from tests.walks.conftest import finished, of


async def test_reads_edits_and_runs(make_walk, project):
    file = str(project / "hello.py")
    walk = await make_walk(
        reply(text("I look."), tool("Read", {"file_path": file})),
        call("Edit", file_path=file, old_string="'hello'", new_string="'hi'"),
        call("Bash", command="python3 -c 'import hello; print(hello.greet())'"),
        say("It greets with hi now."),
    )
    events = await walk.say("make it say hi")
    result = finished(events)
    assert result.subtype is Subtype.SUCCESS, result
    assert result.text == "It greets with hi now."
    assert result.num_turns == 4
    assert (project / "hello.py").read_text() == "def greet():\n    return 'hi'\n"
    outputs = [event.output.text for event in events if isinstance(event, ToolFinished)]
    assert "hi" in outputs[-1]
    assert sum(isinstance(event, AssistantDone) for event in events) == 4
    assert [ask.tool for ask in walk.asked] == ["Edit", "Bash"]


async def test_the_first_request_carries_environment_and_memory_once(make_walk, project):
    (project / "CLAUDE.md").write_text("RULE-A91: tabs are forbidden.\n", encoding="utf-8")
    walk = await make_walk(say("ok"), say("ok"))
    await walk.say("one")
    await walk.say("two")
    first, second = walk.texts()
    assert first.count("RULE-A91") == second.count("RULE-A91") == 1
    assert f"Working directory: {project}" in first
    bodies = walk.bodies()
    assert bodies[1]["system"] == bodies[0]["system"]
    assert bodies[1]["tools"] == bodies[0]["tools"]


async def test_a_mentioned_file_goes_along_and_is_named_on_the_screen(make_walk):
    walk = await make_walk(say("ok"))
    events = await walk.say("what is in @hello.py and @gone.py?")
    assert "def greet()" in walk.texts()[0]
    accepted, notice = events.index(of(events, PromptAccepted)[0]), of(events, Notice)[0]
    assert notice == Notice(level="info", text="Attached: hello.py (2 lines)")
    assert events.index(notice) == accepted + 1


async def test_a_denied_call_is_answered_and_the_turn_goes_on(make_walk, project):
    walk = await make_walk(call("Bash", command="touch pwned.txt"), say("Then not."))

    def slowly(_ask: Ask) -> Answer:
        time.sleep(0.05)
        return Answer("deny")

    events = await walk.say("run it", slowly)
    assert [event.duration_ms for event in of(events, ToolFinished)] == [0]  # it never ran
    assert finished(events).text == "Then not."
    assert [denial.tool_name for denial in finished(events).permission_denials] == ["Bash"]
    assert not (project / "pwned.txt").exists()


async def test_readers_run_side_by_side_and_results_keep_the_call_order(make_walk, project):
    for name in ("a", "b", "c"):
        (project / f"{name}.txt").write_text(f"text of {name}\n", encoding="utf-8")
    walk = await make_walk(
        calls([tool("Read", {"file_path": str(project / f"{name}.txt")}) for name in ("a", "b", "c")]), say("read")
    )
    await walk.say("read all")
    results = walk.bodies()[1]["messages"][-1]["content"]
    assert [part["type"] for part in results][:3] == ["tool_result"] * 3
    assert ["text of a" in str(results[0]), "text of b" in str(results[1]), "text of c" in str(results[2])] == [
        True
    ] * 3


async def test_continue_carries_the_whole_conversation(make_walk):
    walk = await make_walk(say("Noted."), say("It was 42."))
    await walk.say("remember 42")
    first = walk.session.id
    await walk.open(continue_=True)
    assert walk.session.id == first
    events = await walk.say("what was it?")
    assert finished(events).text == "It was 42."
    assert "remember 42" in walk.texts()[1]
    assert "Noted." in walk.texts()[1]


async def test_an_unknown_tool_and_bad_input_are_answered(make_walk):
    walk = await make_walk(calls([tool("Nope", {}), tool("Read", {"path": 3})]), say("sorry"))
    events = await walk.say("go")
    outputs = [event.output for event in events if isinstance(event, ToolFinished)]
    assert [output.is_error for output in outputs] == [True, True]
    assert "no tool named Nope" in outputs[0].text
    assert isinstance(events[-1], PromptFinished)


@pytest.mark.parametrize(
    "blank", [say("  \n"), think("Nothing to say."), reply()], ids=["blank", "thinking", "nothing"]
)
async def test_an_answer_without_text_is_told_and_harms_no_later_request(make_walk, blank):
    walk = await make_walk(blank, say("here"))
    events = await walk.say("hello?")
    assert [notice.text for notice in of(events, Notice)] == ["The model's answer is empty. Ask again to go on."]
    assert finished(await walk.say("again")).text == "here"


async def test_a_tool_that_a_bare_rule_denies_is_not_shown_and_never_runs(make_walk, project):
    walk = await make_walk(call("Bash", command="touch pwned.txt"), say("Then not."))
    await walk.open(flags=Flags(disallowed_tools=("Bash", "Edit(secret/**)")))
    events = await walk.say("run it")
    assert [tool["name"] for tool in walk.bodies()[0]["tools"]] == ["Read", "Edit", "Write", "Grep", "Glob"]
    assert finished(events).text == "Then not."
    assert not (project / "pwned.txt").exists()
