"""/doctor and /plan in a session."""

import json

from agent.protocol.events import Asked, ModeChanged, Notice, ToolFinished
from agent.rehearsal.script import call, say
from tests.walks.conftest import finished, of


async def test_doctor_says_what_the_session_runs_on(make_walk, project) -> None:
    folder = project / ".claude"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}})
    )
    walk = await make_walk()
    await walk.open(interactive=False)
    [shown] = of(await walk.say("/doctor"), Notice)[-1:]
    rows = {line.split("|")[2].strip(): line for line in shown.text.splitlines() if line.startswith("|")}
    assert rows["rg"].startswith("| ok |")
    assert rows["anthropic"].startswith("| ok |")
    assert str(project) in rows["project"]
    assert "not trusted" in rows["trust"], rows["trust"]
    assert walk.texts() == [], "nothing is sent"


async def test_doctor_says_that_the_rehearsal_answers(make_walk) -> None:
    walk = await make_walk()
    await walk.open(offline="Offline.")
    text = of(await walk.say("/doctor"), Notice)[-1].text
    assert "offline: the rehearsal model answers" in text
    assert "ANTHROPIC_API_KEY`" not in text, "no key of a person's is told as found"
    assert walk.api.url not in text


async def test_plan_changes_nothing_until_the_mode_is_left(make_walk, project) -> None:
    target = str(project / "new.txt")
    walk = await make_walk(call("Write", file_path=target, content="x"), say("planned"))
    events = await walk.say("/plan")
    assert [event.mode for event in of(events, ModeChanged)] == ["plan"]
    assert "Shift+Tab" in finished(events).text
    events = await walk.say("write it")
    assert not of(events, Asked)
    assert of(events, ToolFinished)[0].output.is_error
    assert not (project / "new.txt").exists()


async def test_plan_with_words_is_refused_and_changes_nothing(make_walk) -> None:
    walk = await make_walk()
    events = await walk.say("/plan the whole thing")
    assert finished(events).is_error
    assert not of(events, ModeChanged)
    assert walk.session.status().mode == "default"
