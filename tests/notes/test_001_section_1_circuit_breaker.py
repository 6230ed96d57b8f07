"""Design note 001, section 1: the circuit breaker's states, and what it saves."""

import pytest

from agent.compact.circuit_breaker import MAX_CONSECUTIVE_FAILURES, CircuitBreaker
from agent.protocol.events import CompactFailed, CompactFinished, CompactStarted
from agent.rehearsal.script import fail, say, summary
from tests.walks.conftest import finished, of, used


def test_the_number_of_the_notes() -> None:
    assert MAX_CONSECUTIVE_FAILURES == 3


@pytest.mark.parametrize(("failures", "enabled"), [(0, True), (1, True), (2, True), (3, False), (4, False)])
def test_closed_twice_half_open_then_open(failures: int, enabled: bool) -> None:
    breaker = CircuitBreaker()
    for _ in range(failures):
        breaker.failed()
    assert breaker.consecutive_failures == failures
    assert breaker.open is not enabled


@pytest.mark.parametrize("manual", [True, False])
def test_only_failures_in_a_row_count(manual: bool) -> None:
    breaker = CircuitBreaker()
    for _ in range(2):
        breaker.failed()
        breaker.failed()
        breaker.succeeded(manual=manual)
    assert breaker.consecutive_failures == 0
    assert not breaker.open


async def test_the_fourth_round_does_not_try_and_the_person_still_can(make_walk) -> None:
    walk = await make_walk(
        say("on", usage=used(14_000)).when(compaction=False, repeat=0),
        fail(500, headers={"x-should-retry": "false"}).when(compaction=True, repeat=3),
        summary("S").when(compaction=True, repeat=0),
        window=20_000,
    )
    await walk.say("round 0")
    for number in range(1, 4):
        events = await walk.say(f"round {number}")
        assert len(of(events, CompactFailed)) == 1
        assert finished(events).text == "on"
    assert len(walk.compactions()) == 3
    assert of(await walk.say("round 4"), CompactStarted) == []
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    await walk.say("round 5")
    assert len(of(await walk.say("round 6"), CompactFinished)) == 1  # closed again
