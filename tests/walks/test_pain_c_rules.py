"""Rules, plans, requests and loaded instructions that compactions of other agents lost (users' reports by number)."""

import pytest

from agent.rehearsal.script import reply, say, summary, text, tool
from tests.walks.conftest import asks_summary
from tests.walks.test_pain_c import spoken

EMPTY = "1. Primary Request and Intent:\nNone"


def everything(body) -> str:
    """All texts of a request, the system prompt too."""
    return "\n".join([*(part["text"] for part in body["system"]), *spoken(body)])


# ---- 25: project rules


@pytest.mark.parametrize("command", ["/compact", "/compact up-to 4", "/compact from 4"])
async def test_25_the_rules_stand_byte_exactly_once_after_a_compaction(make_walk, project, command):
    rule = "RULE-A91: use `tabs`,\n\tnever spaces – ünder no circumstances."
    (project / "CLAUDE.md").write_text(f"{rule}\n", encoding="utf-8")
    walk = await make_walk(say("one"), say("two"), say("three"), summary(EMPTY), say("on"))
    for prompt in ("first", "second", "third"):
        await walk.say(prompt)
    await walk.compact(command)
    await walk.say("go on")
    assert everything(walk.bodies()[0]).count(rule) == 1
    assert everything(walk.bodies()[-1]).count(rule) == 1


async def test_25_the_rules_are_those_on_disk_now(make_walk, project):
    (project / "CLAUDE.md").write_text("RULE-A91: old\n", encoding="utf-8")
    walk = await make_walk(say("one"), summary(EMPTY), say("on"))
    await walk.say("first")
    (project / "CLAUDE.md").write_text("RULE-A91: new\n", encoding="utf-8")
    await walk.compact()
    await walk.say("go on")
    after = everything(walk.bodies()[-1])
    assert after.count("RULE-A91: new") == 1
    assert "RULE-A91: old" not in after


# ---- 26: plan and todos


async def test_26_open_items_their_states_and_the_plan_stand_after_an_empty_summary(make_walk, project):
    plan = project / "docs" / "plan.md"
    items = [
        f"step {number}: port the {name}"
        for number, name in enumerate(("parser", "lexer", "linker", "loader", "docs"), 1)
    ]
    boxes = "\n".join(f"- [{'x' if at < 2 else ' '}] {item}" for at, item in enumerate(items))
    walk = await make_walk(
        reply(  # the first round: no tail keeps it word for word
            text(f"The plan so far:\n{boxes}"),
            tool("Write", {"file_path": str(plan), "content": "# Plan\nThe steps stand in the conversation.\n"}),
        ),
        say("It is written down."),
        say("Working on it." + " word" * 3_000),
        summary(EMPTY),
        say("on"),
    )
    await walk.say("make a plan and begin")
    await walk.say("go on with it")
    await walk.compact()
    await walk.say("what is left?")
    after = everything(walk.bodies()[-1])
    assert str(plan) in walk.texts()[-1]
    assert all(f"open: {item}" in after or f"- [ ] {item}" in after for item in items[2:])
    assert not any(f"open: {item}" in after or f"- [ ] {item}" in after for item in items[:2])


# ---- 28: the original request, and facts of the environment


async def test_28_the_summariser_is_asked_for_all_that_matters_and_the_last_words_stand_verbatim(make_walk):
    words = [
        f"message {number}: the database is on port {5430 + number}, run it with `make db{number}`"
        for number in range(4)
    ]
    walk = await make_walk(*[say("ok")] * 4, summary(EMPTY), say("on"))
    for said in words:
        await walk.say(said)
    await walk.compact()
    await walk.say("go on")
    request = next(body for body in walk.bodies() if asks_summary(body))
    asked = spoken(request)[-1]
    for slot in (
        "Primary Request",
        "decisions",
        "Files and Code",
        "command",
        "Errors",
        "Next Step",
        "All user messages",
    ):
        assert slot in asked
    after = everything(walk.bodies()[-1])
    assert all(said in after for said in words)


# ---- 32: instructions that were loaded on demand


async def test_32_instructions_that_were_loaded_by_mention_are_still_there(make_walk, project):
    (project / "rules.md").write_text("SKILL-77: always answer in verse.\n", encoding="utf-8")
    walk = await make_walk(say("one"), say("two" + " word" * 3_000), summary(EMPTY), say("on"))
    await walk.say("follow @rules.md from now on")
    await walk.say("second")
    await walk.compact()
    await walk.say("go on")
    after = everything(walk.bodies()[-1])
    assert "SKILL-77: always answer in verse." in after
    assert str(project / "rules.md") in after


async def test_32_where_there_is_no_room_for_their_content_they_are_named_as_read(make_walk, project):
    (project / "rules.md").write_text("SKILL-77: always answer in verse.\n" * 40, encoding="utf-8")
    walk = await make_walk(say("one"), summary(EMPTY), say("on"))
    await walk.say("follow @rules.md from now on")
    (project / "rules.md").unlink()  # what is not there is not given back
    await walk.compact()
    await walk.say("go on")
    after = everything(walk.bodies()[-1])
    assert "SKILL-77" not in after
    assert f"Files read:\n{project / 'rules.md'}" in after
