"""Where nobody answers whatever is sent, a conversation at its limit is not replaced by extracts: another model or key still has all of it."""

import pytest

from agent.api import Flags
from agent.protocol.events import CompactFailed, CompactFinished
from agent.protocol.meter import Level
from agent.rehearsal.script import fail, say
from tests.walks.conftest import finished, of

LONG = "one " + "word " * 13_000


@pytest.mark.parametrize(
    ("status", "kind", "told"),
    [
        (404, "not_found_error", "does not know the model"),
        (401, "authentication_error", "Automatic compaction failed: "),
        (403, "permission_error", "denies access"),
    ],
)
async def test_the_history_stays_for_whoever_answers(make_walk, status, kind, told):
    refusal = fail(status, type=kind, message="model: claude-sonnet-5-5").times(9)
    walk = await make_walk(say(LONG), refusal, window=100_000)
    await walk.say("first")
    limit = {"CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE": "9000"}
    await walk.open(continue_=True, flags=Flags(autocompact="8000"), env=limit)
    assert walk.session.reading().level is Level.BLOCKING
    before = walk.session.reading().used
    events = await walk.say("second")
    assert of(events, CompactFinished) == []
    assert of(events, CompactFailed)
    assert finished(events).error.startswith("Context limit reached · ")
    assert told in finished(events).error  # also where only the last line is read
    assert walk.session.reading().used >= before
