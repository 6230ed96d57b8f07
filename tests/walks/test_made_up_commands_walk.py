"""`Bash` allowed and some of it denied: a command that is made up at run time is asked about, says why, and advises no flag that would not help."""

import pytest

from agent.api import Flags
from agent.protocol.asks import Answer
from agent.protocol.events import Notice
from agent.rehearsal.script import call, say
from tests.walks.conftest import finished, of

RULES = Flags(allowed_tools=("Bash",), disallowed_tools=("Bash(rm:*)",))


@pytest.mark.parametrize(
    "command", ["X=rm; $X kept", "$(echo rm) kept", "echo rm kept | sh", "find . -name kept -delete"]
)
async def test_the_person_decides_and_sees_why(make_walk, project, command):
    (project / "kept").write_text("here")
    walk = await make_walk(call("Bash", command=command), call("Bash", command="rm kept"), say("done"))
    await walk.open(flags=RULES)
    assert finished(await walk.say("go", Answer("deny"))).text == "done"
    assert [ask.reason for ask in walk.asked] == [
        "what it runs is made up at run time, where the rule Bash(rm:*) cannot see it"
    ]
    assert (project / "kept").exists()


async def test_without_a_person_it_does_not_run_and_no_useless_flag_is_advised(make_walk, project):
    (project / "kept").write_text("here")
    walk = await make_walk(call("Bash", command="X=rm; $X kept"), say("done"))
    await walk.open(flags=RULES, interactive=False)
    events = await walk.say("go")
    told = [notice.text for notice in of(events, Notice) if "nobody could be asked" in notice.text]
    assert len(told) == 1
    assert "--allowed-tools" not in told[0]
    assert (project / "kept").exists()


async def test_where_a_flag_would_help_it_is_named(make_walk, project):
    walk = await make_walk(call("Bash", command="cd . && touch made"), say("done"))
    await walk.open(interactive=False)
    events = await walk.say("go")
    assert any("--allowed-tools Bash allows it." in notice.text for notice in of(events, Notice))
