"""Design note 001, section 5: what is cleaned up after a compaction, and by whom; the bug it warns of is the first test."""

import json

import pytest

from agent.compact.post_compact_cleanup import run_post_compact_cleanup
from agent.protocol.events import Notice
from agent.protocol.source import QuerySource, is_main_thread
from agent.rehearsal.script import say, summary
from tests.walks.conftest import of, used

MAIN = (None, "repl_main_thread", "repl_main_thread:outputStyle:custom", "sdk")
SIDE = ("agent:subagent-1", "agent:x", "compact", "side", "session_memory", "sdk_agent")


@pytest.mark.parametrize(("source", "main"), [*[(one, True) for one in MAIN], *[(one, False) for one in SIDE]])
def test_which_sources_are_the_main_thread(source: str | None, main: bool) -> None:
    assert is_main_thread(source) is main
    assert is_main_thread(QuerySource.REPL) and is_main_thread(QuerySource.SDK)


@pytest.mark.parametrize(("source", "touched"), [*[(one, True) for one in MAIN], *[(one, False) for one in SIDE]])
async def test_a_side_thread_does_not_touch_the_main_thread_s_state(make_walk, source, touched) -> None:
    """The notes' bug: `agent:subagent-1` compacts, and what the main thread had collected is gone."""
    walk = await make_walk(say("one", usage=used(5_000)))
    session = await walk.open()
    await walk.say("first")
    deps = session._state.deps(_nobody).compact
    deps.conversation.pending_clears = ("toolu_1",)
    told = []
    run_post_compact_cleanup(_with(deps, told), source)
    assert bool(told) is touched
    assert deps.conversation.pending_clears == (() if touched else ("toolu_1",))
    assert session.reading().estimated is touched  # the meter rests on the last answer as long as nothing was rewritten


async def test_what_was_announced_once_is_not_announced_again(make_walk) -> None:
    """The notes do not reset sentSkillNames: saying it again would only be paid for again."""
    walk = await make_walk(say("one " * 900), summary("S"), say("two"), say("three"))
    session = await walk.open()
    await walk.say("first")
    conversation = session._state.conversation
    assert conversation.untold(["a listing"]) == ["a listing"]
    await walk.compact()
    assert conversation.untold(["a listing"]) == []
    events = await walk.say("second")
    assert of(events, Notice) == []
    assert json.dumps(walk.bodies()[-1]["messages"]).count("Working directory: ") == 1


def _with(deps, told):
    """The same services; that the context was given is noted in `told`."""
    return type(deps)(
        **{name: getattr(deps, name) for name in deps.__struct_fields__} | {"context_given": lambda: told.append(1)}
    )


async def _nobody(_event) -> None:
    """Nobody looks."""
