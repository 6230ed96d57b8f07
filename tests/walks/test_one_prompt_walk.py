"""The walk of one prompt, arrow by arrow (docs/architecture.md): from a face through every room to the API and back, in this order."""

import json

from agent.api import Flags
from agent.protocol.asks import Answer, Ask, Permission
from agent.protocol.events import (
    Asked,
    AssistantDone,
    Event,
    HookStarted,
    PromptAccepted,
    PromptFinished,
    ToolFinished,
    ToolResultsRecorded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from agent.rehearsal.script import calls, say, tool
from tui.view import drive

HOOKS = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
STEPS = (
    PromptAccepted,
    TurnStarted,
    AssistantDone,
    ToolStarted,
    ToolFinished,
    ToolResultsRecorded,
    TurnEnded,
    PromptFinished,
)


class Recorder:
    """A face that writes down the steps it is shown, and says yes."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def show(self, event: Event) -> None:
        match event:
            case HookStarted(event=name):
                self.steps.append(name)
            case Asked(ask=Permission(tool=name)):
                self.steps.append(f"ask {name}")
            case ToolStarted(name=name) | ToolFinished(name=name):
                self.steps.append(f"{type(event).__name__} {name}")
            case _ if isinstance(event, STEPS):
                self.steps.append(type(event).__name__)

    async def ask(self, ask_id: str, question: Ask) -> Answer:
        return Answer("once")


async def test_every_arrow_of_the_walk_in_order(make_walk, project):
    (project / "note.txt").write_text("NOTE-17\n", encoding="utf-8")
    look = tool("Read", {"file_path": str(project / "hello.py")})
    touch = tool("Bash", {"command": "touch made.txt"})
    walk = await make_walk(calls([look, touch]), say("Done."))
    hooks = {name: [{"hooks": [{"type": "command", "command": "true"}]}] for name in HOOKS}
    session = await walk.open(flags=Flags(settings=json.dumps({"hooks": hooks})))
    face = Recorder()
    result = await drive(session.prompt("look at @note.txt"), face, session.answer)
    assert result is not None
    assert (result.text, result.num_turns, result.is_error) == ("Done.", 2, False)
    assert face.steps == [
        "UserPromptSubmit",  # loop/run: hooks first, nothing is on record yet
        "PromptAccepted",  # loop/accept: attachments and prompt are recorded
        "TurnStarted",  # loop/turn: view, request, stream
        "AssistantDone",  # anthropic_api: the reply is recorded
        "PreToolUse",  # loop/tool_calls: the reader first ...
        "ToolStarted Read",
        "PostToolUse",
        "ToolFinished Read",
        "PreToolUse",  # ... then the writer, which a person is asked about
        "ask Bash",
        "ToolStarted Bash",
        "PostToolUse",
        "ToolFinished Bash",
        "ToolResultsRecorded",  # in the order of the calls
        "TurnEnded",
        "TurnStarted",  # make_room, and again
        "AssistantDone",
        "TurnEnded",
        "Stop",
        "PromptFinished",
    ]
    first, second = walk.bodies()
    assert "NOTE-17" in json.dumps(first["messages"])
    assert [part["type"] for part in second["messages"][-1]["content"]][:2] == ["tool_result", "tool_result"]
    assert (project / "made.txt").exists()
    recorded = [json.loads(line)["type"] for line in walk.transcript_text().splitlines()]
    assert [kind for kind in recorded if kind in ("user", "assistant")] == ["user", "assistant", "user", "assistant"]
