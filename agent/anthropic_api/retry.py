"""Another attempt after a failure that may pass: how often, after how long, and when not."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing

from msgspec import Struct

from agent.protocol.clock import Clock
from agent.protocol.errors import ModelError, RateLimited
from agent.protocol.model import Delta, Reply, Retrying
from agent.protocol.source import QuerySource
from agent.settings.env import number

MOST_ATTEMPTS = 15

Attempt = Callable[[], AsyncGenerator[Delta | Reply, None]]


class RetryPolicy(Struct, frozen=True):
    """Attempts in all, per turn and per compaction; the rest in seconds.

    `total` bounds the time from the first failure to the last attempt's start (None: no bound). A server that asks for
    a longer pause than `longest_wait` is not waited for: the error is raised and says so. Pauses double from
    `first_delay` up to `longest_delay`, shortened by up to `jitter` of themselves.
    """

    max_attempts: int = 10
    compact_attempts: int = 3
    total: float | None = None
    longest_wait: float = 60.0
    first_delay: float = 0.5
    longest_delay: float = 30.0
    jitter: float = 0.25

    def attempts(self, source: QuerySource) -> int:
        """How often a request of this source is sent at most."""
        return self.compact_attempts if source is QuerySource.COMPACT else self.max_attempts

    def delay(self, failures: int, error: ModelError, chance: float) -> float | None:
        """Seconds before the attempt after `failures` failures, or None to give up; `chance` is in [0, 1)."""
        if not error.retryable:
            return None
        asked = error.retry_after if isinstance(error, RateLimited) else None
        if asked is not None and asked > self.longest_wait:
            return None
        backoff: float = min(self.first_delay * 2 ** (failures - 1), self.longest_delay)
        return max(backoff * (1 - self.jitter * chance), asked or 0.0)


def retry_policy(env: Mapping[str, str], total: float | None) -> RetryPolicy:
    """The policy with CLAUDE_CODE_MAX_RETRIES (reference 2.4: 15 at most) as the number of attempts."""
    told = number(env.get("CLAUDE_CODE_MAX_RETRIES", ""))
    attempts = RetryPolicy().max_attempts if told is None else max(1, min(told, MOST_ATTEMPTS))
    return RetryPolicy(max_attempts=attempts, total=total)


class Waiting(Struct, frozen=True):
    """The world that retries wait in: the clock, how to sleep, and chance in [0, 1)."""

    clock: Clock
    sleep: Callable[[float], Awaitable[None]]
    chance: Callable[[], float]


async def with_retries(
    attempt: Attempt, policy: RetryPolicy, source: QuerySource, waiting: Waiting
) -> AsyncGenerator[Delta | Reply, None]:
    """What `attempt` yields, begun again after each passing failure; a Retrying before a pause voids what came before.

    Raises the last ModelError when no attempt is left, the failure does not pass, or the wait would be too long.
    """
    attempts = policy.attempts(source)
    deadline: float | None = None
    failures = 0
    while True:
        try:
            async with aclosing(attempt()) as pieces:
                async for piece in pieces:
                    yield piece
            return
        except ModelError as error:
            failures += 1
            now = waiting.clock.monotonic()
            if deadline is None and policy.total is not None:
                deadline = now + policy.total
            delay = policy.delay(failures, error, waiting.chance())
            if delay is None or failures >= attempts or (deadline is not None and now + delay > deadline):
                raise
            reason = error.what
        yield Retrying(attempt=failures, max_attempts=attempts, delay=delay, reason=reason)
        await waiting.sleep(delay)
