"""One prompt to its answer through every floor: read, edit, run, remember, compact."""

from agent.protocol.events import AssistantDone, CompactFinished, PromptFinished, ToolFinished
from agent.protocol.results import Subtype
from agent.rehearsal.script import call, reply, say, summary, text, tool


async def test_reads_edits_and_runs(make_walk):
    path = lambda walk: str(walk.project / "hello.py")  # noqa: E731
    walk = await make_walk()
    file = path(walk)
    walk.api.api.script = None
    walk = await make_walk(
        reply(text("I look."), tool("Read", {"file_path": file})),
        call("Edit", file_path=file, old_string="'hello'", new_string="'hi'"),
        call("Bash", command="python3 -c 'import hello; print(hello.greet())'"),
        say("It greets with hi now."),
    )
    events = await walk.say("make it say hi")
    done = events[-1]
    assert isinstance(done, PromptFinished)
    assert done.result.subtype is Subtype.SUCCESS, done
    assert done.result.text == "It greets with hi now."
    assert (walk.project / "hello.py").read_text() == "def greet():\n    return 'hi'\n"
    outputs = [event.output.text for event in events if isinstance(event, ToolFinished)]
    assert "hi" in outputs[-1]
    assert sum(isinstance(event, AssistantDone) for event in events) == 4
