"""The breaker of design note 001: three failures in a row, and three quick refills."""

from agent.compact.circuit_breaker import CircuitBreaker


def test_three_failures_in_a_row_open_it_and_a_success_closes_it() -> None:
    breaker = CircuitBreaker()
    for expected in (False, False, True):
        breaker.failed()
        assert breaker.open is expected
    breaker.succeeded(manual=True)
    assert not breaker.open


def test_a_success_between_failures_starts_the_count_anew() -> None:
    breaker = CircuitBreaker()
    breaker.failed()
    breaker.failed()
    breaker.succeeded(manual=False)
    breaker.failed()
    breaker.failed()
    assert not breaker.open


def test_three_quick_refills_are_thrashing() -> None:
    breaker = CircuitBreaker()
    breaker.crossed()
    for _ in range(3):
        assert not breaker.thrashing
        breaker.succeeded(manual=False)
        breaker.turn()
        breaker.crossed()
    assert breaker.thrashing
    breaker.succeeded(manual=True)
    assert not breaker.thrashing


def test_work_between_two_compactions_is_no_thrashing() -> None:
    breaker = CircuitBreaker()
    for _ in range(10):
        breaker.succeeded(manual=False)
        for _ in range(3):
            breaker.turn()
        breaker.crossed()
    assert not breaker.thrashing


def test_a_refill_counts_once_however_often_its_compaction_is_tried() -> None:
    breaker = CircuitBreaker()
    breaker.succeeded(manual=False)
    breaker.turn()
    for _ in range(5):
        breaker.crossed()
    assert not breaker.thrashing


def test_where_there_was_nothing_to_gain_it_waits_until_the_conversation_has_grown() -> None:
    breaker = CircuitBreaker()
    assert not breaker.futile(1_000)
    breaker.gained_nothing(1_000)
    assert breaker.consecutive_failures == 1
    assert breaker.futile(1_249) and not breaker.futile(1_250)
    breaker.succeeded(manual=False)
    assert not breaker.futile(1_000)
