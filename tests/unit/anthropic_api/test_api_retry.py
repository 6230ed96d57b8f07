"""When another attempt follows, after how long, and when not; the clock is turned by hand."""

from collections.abc import AsyncGenerator

import pytest

from agent.anthropic_api.retry import RetryPolicy, Waiting, retry_policy, with_retries
from agent.protocol.errors import ConnectionFailed, InvalidRequest, ModelError, Overloaded, RateLimited, StreamBroken
from agent.protocol.model import Delta, Reply, Retrying, TextPiece
from agent.protocol.source import QuerySource
from tests.unit.anthropic_api.wire_support import HandClock

REPLY = Reply(message_id="m", model="m", blocks=(), stop_reason="end_turn", usage=None)


class Attempts:
    """Fails with each error in turn, a piece before it, then answers."""

    def __init__(self, *errors: ModelError) -> None:
        self.errors = list(errors)
        self.made = 0

    async def __call__(self) -> AsyncGenerator[Delta | Reply, None]:
        self.made += 1
        yield TextPiece(f"attempt {self.made}")
        if self.errors:
            raise self.errors.pop(0)
        yield REPLY


async def _run(
    attempts: Attempts, policy: RetryPolicy, source: QuerySource = QuerySource.REPL
) -> tuple[list[Delta | Reply], HandClock]:
    clock = HandClock()
    waiting = Waiting(clock, clock.sleep, lambda: 0.0)
    return [piece async for piece in with_retries(attempts, policy, source, waiting)], clock


async def test_broken_stream_is_begun_again_and_its_pieces_are_void() -> None:
    pieces, clock = await _run(Attempts(StreamBroken("Cut.")), RetryPolicy())
    assert pieces == [TextPiece("attempt 1"), Retrying(1, 10, 0.5, "Cut."), TextPiece("attempt 2"), REPLY]
    assert clock.pauses == [0.5]


async def test_pauses_grow_up_to_a_bound() -> None:
    _, clock = await _run(Attempts(*(Overloaded("Busy.") for _ in range(9))), RetryPolicy())
    assert clock.pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


@pytest.mark.parametrize(("source", "sent"), [(QuerySource.REPL, 10), (QuerySource.SDK, 10), (QuerySource.COMPACT, 3)])
async def test_attempts_are_bounded(source: QuerySource, sent: int) -> None:
    attempts = Attempts(*(Overloaded("Busy.") for _ in range(50)))
    with pytest.raises(Overloaded):
        await _run(attempts, RetryPolicy(), source)
    assert attempts.made == sent


async def test_lasting_failure_is_not_repeated() -> None:
    attempts = Attempts(InvalidRequest("No."))
    with pytest.raises(InvalidRequest):
        await _run(attempts, RetryPolicy())
    assert attempts.made == 1


async def test_server_is_waited_for_as_long_as_it_asks() -> None:
    _, clock = await _run(Attempts(RateLimited("Slow.", retry_after=7.0)), RetryPolicy())
    assert clock.pauses == [7.0]


async def test_very_long_pause_is_reported_and_not_slept() -> None:
    attempts = Attempts(RateLimited("Slow.", retry_after=3600))
    with pytest.raises(RateLimited) as caught:
        await _run(attempts, RetryPolicy())
    assert caught.value.retry_after == 3600
    assert attempts.made == 1


async def test_total_time_is_bounded_from_the_first_failure() -> None:
    attempts = Attempts(*(RateLimited("Slow.", retry_after=25) for _ in range(9)))
    with pytest.raises(RateLimited):
        await _run(attempts, RetryPolicy(total=60))
    assert attempts.made == 3  # 0 s, 25 s, 50 s; the next would start at 75 s


@pytest.mark.parametrize("chance", [0.0, 0.5, 0.999])
def test_chance_only_shortens_a_pause(chance: float) -> None:
    delay = RetryPolicy().delay(3, ConnectionFailed("Gone."), chance)
    assert delay is not None
    assert 1.5 <= delay <= 2.0


@pytest.mark.parametrize(
    ("told", "attempts"), [("", 10), ("3", 3), ("0", 1), ("99", 15), ("1e1", 10), ("many", 10), ("-2", 1)]
)
def test_the_environment_sets_the_number_of_attempts(told: str, attempts: int) -> None:
    assert retry_policy({"CLAUDE_CODE_MAX_RETRIES": told}, 60.0) == RetryPolicy(max_attempts=attempts, total=60.0)
