"""A process that runs `tui.repl` over a scripted session: `python repl_main.py SCRIPT REPORT [PROMPT]`.

At its end it writes what the session was told to the file REPORT, as JSON.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agent.protocol.asks import Permission, Preview
from agent.protocol.details import CommandOutput
from agent.protocol.events import (
    Asked,
    CompactFailed,
    Failed,
    HistoryChanged,
    MeterChanged,
    Notice,
    PromptAccepted,
    TextDelta,
    ToolFinished,
    ToolStarted,
)
from agent.protocol.results import Failure
from agent.protocol.tools import ToolOutput
from tests.support.fake_session import READING, FakeSession, Step, Wait, fail, printed, say
from tui.repl.run import run_repl

ASK = Asked(
    "q1",
    Permission(
        tool="Bash", tool_use_id="t1", title="run rm\x1b[2J x", input={}, rule="Bash(rm:*)", reason="no rule allows it"
    ),
)
PREVIEW = Asked("q1", Preview("one\ntwo", 9_000, 2_000, report="$0.02 spent"))
TOOL: list[Step] = [
    ToolStarted("t1", "Bash", {"command": "ls"}, "run ls"),
    ToolFinished("t1", "Bash", "run ls", ToolOutput("a\n", details=CommandOutput("ls", "a\n", 0, 3))),
]
SCRIPTS: dict[str, list[list[Step]]] = {
    "say": [[PromptAccepted("u1", "hi"), TextDelta("hel"), TextDelta("lo\x1b]0;owned\x07"), *say("hello")]] * 5,
    "tool": [[*TOOL, TextDelta("done"), *say("done")]],
    "preview": [[PREVIEW, *say("done")]],
    "ask": [[ASK, *TOOL, *say("done")]],
    "fail": [fail("The API refused.")],
    "not compacted": [
        [
            CompactFailed("manual", "Too short.", "nothing"),
            MeterChanged(READING),
            Failed(Failure(what="Too short.")),
            *fail("Too short."),
        ],
        [Failed(Failure(what="Too short.")), *fail("Too short.")],
    ],
    "hang": [[TextDelta("thinking"), Wait()], [TextDelta("again"), *say("again")]],
    "slash": [printed("auto-compact at 167,000")],
    "given back": [[PromptAccepted("u2", "hi"), HistoryChanged("rewind", prompt="hi"), *fail("Too long.")]],
    "gone back": [[HistoryChanged("rewind", prompt="hi"), *printed("Back.")]],
    "long notice": [[Notice("warning", " ".join(f"word{n}" for n in range(30))), *say("ok")]],
    "notice": [[Notice("warning", "careful"), *say("ok")]],
}


def main() -> int:
    script, report, *prompt = sys.argv[1:]
    session = FakeSession(*SCRIPTS[script], history=[PromptAccepted("u1", "long ago")] if "back" in script else ())

    async def make() -> FakeSession:
        return session

    code = run_repl(
        make, first_prompt=prompt[0] if prompt else None, history=Path(report).parent / "history", version="0.0.0"
    )
    told = {
        "prompts": session.prompts,
        "slashes": session.slashes,
        "shells": session.shells,
        "edited": {ask: answer.edited for ask, answer in session.answers.items()},
        "answers": {ask: [answer.choice, answer.comment] for ask, answer in session.answers.items()},
        "interrupts": session.interrupts,
        "closed": session.closed,
    }
    Path(report).write_text(json.dumps(told), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
