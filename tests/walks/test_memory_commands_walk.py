"""/memory and /init in whole sessions."""

import pytest

from agent.protocol.asks import Permission
from agent.protocol.events import EditorRequested, Notice
from agent.rehearsal.script import call, say
from tests.walks.conftest import finished, of


def shown(events):
    return "\n".join(event.text for event in of(events, Notice))


async def test_memory_lists_what_is_read_and_names_what_is_missing(make_walk, project, clean_environment):
    (project / "CLAUDE.md").write_text("Rules.\n@docs/missing.md\n", encoding="utf-8")
    walk = await make_walk()
    text = shown(await walk.say("/memory"))
    assert f"| 1 | `{project / 'CLAUDE.md'}` | Project |" in text
    assert "missing.md" in text


async def test_a_rule_that_is_added_holds_at_once_and_after_clear(make_walk, project):
    walk = await make_walk(say("one"), say("two"), say("three"))
    await walk.say("hello")
    assert "CLAUDE.md" in shown(await walk.say("/memory add never use tabs"))
    assert (project / "CLAUDE.md").read_text() == "- never use tabs\n"
    await walk.say("go on")
    assert "never use tabs" in walk.texts()[-1]
    await walk.say("/clear")
    await walk.say("again")
    assert "never use tabs" in walk.texts()[-1]


async def test_memory_open_asks_the_face_for_an_editor(make_walk, project, clean_environment):
    (project / ".claude").mkdir()
    (project / ".claude" / "CLAUDE.md").write_text("x", encoding="utf-8")
    walk = await make_walk()
    opened = [
        of(await walk.say(line), EditorRequested)[0].path
        for line in ("/memory open", "/memory open 1", "/memory open user", "/memory open local")
    ]
    below = str(project / ".claude" / "CLAUDE.md")
    home = str(clean_environment / ".ccagent" / "CLAUDE.md")
    assert opened == [below, below, home, str(project / "CLAUDE.local.md")]


@pytest.mark.parametrize(
    "line", ["/memory open 9", "/memory add", "/memory add user", "/memory eat", "/memory open it"]
)
async def test_what_memory_does_not_know_changes_nothing(make_walk, project, line):
    walk = await make_walk()
    assert finished(await walk.say(line)).is_error
    assert not (project / "CLAUDE.md").exists()


async def test_init_asks_the_model_and_the_file_is_asked_for(make_walk, project):
    file = project / "CLAUDE.md"
    walk = await make_walk(call("Write", file_path=str(file), content="# Project\n"), say("written"), say("fine"))
    events = await walk.say("/init mention the tests")
    assert finished(events).text == "written"
    assert file.read_text() == "# Project\n"
    assert [type(ask) for ask in walk.asked] == [Permission]
    assert f"Write {file}." in walk.texts()[0]
    assert "mention the tests" in walk.texts()[0]
    await walk.say("/init")
    assert f"Read {file}. It is the user's" in walk.texts()[-1]


async def test_a_draft_needs_no_model_and_overwrites_nothing(make_walk, project):
    file = project / "CLAUDE.md"
    walk = await make_walk()
    assert "Python (1 file)" in shown(await walk.say("/init draft"))
    assert file.read_text().startswith("# project\n")
    file.write_text("mine", encoding="utf-8")
    assert "nothing was written" in shown(await walk.say("/init draft"))
    assert file.read_text() == "mine"
    assert walk.bodies() == []
