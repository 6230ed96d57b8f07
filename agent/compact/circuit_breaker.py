"""Rests automatic compaction after three failures in a row, and stops a context that refills as fast as it is compacted."""

MAX_CONSECUTIVE_FAILURES = 3  # design note 000 section 2
MAX_QUICK_REFILLS = 3
GROWTH = 1.25  # of a conversation in which there was nothing to gain, before it is tried again
QUICK_TURNS = 2  # a threshold crossing this soon after a compaction is a refill, not work


class CircuitBreaker:
    """One per conversation; a manual compaction that succeeds closes it again."""

    def __init__(self) -> None:
        self.consecutive_failures = 0
        self._futile_below = 0.0
        self._quick_refills = 0
        self._refill_counted = False
        self._turns_since = QUICK_TURNS + 1

    @property
    def open(self) -> bool:
        """Whether automatic compaction rests."""
        return self.consecutive_failures >= MAX_CONSECUTIVE_FAILURES

    @property
    def thrashing(self) -> bool:
        """Whether the context has refilled right after each of the last three compactions."""
        return self._quick_refills >= MAX_QUICK_REFILLS

    def turn(self) -> None:
        """A model turn was made."""
        self._turns_since += 1

    def futile(self, used: int) -> bool:
        """Whether at `used` tokens there is as little to gain as at the last try."""
        return used < self._futile_below

    def gained_nothing(self, used: int) -> None:
        """At `used` tokens a compaction would have gained nothing: it failed, and waits until the conversation has grown."""
        self.failed()
        self._futile_below = GROWTH * used

    def failed(self) -> None:
        """An automatic compaction failed."""
        self.consecutive_failures += 1

    def crossed(self) -> None:
        """The threshold was crossed again: a refill when it came at once, counted once for each compaction however often it is tried."""
        if self._refill_counted:
            return
        self._refill_counted = True
        self._quick_refills = self._quick_refills + 1 if self._turns_since <= QUICK_TURNS else 0

    def succeeded(self, *, manual: bool) -> None:
        """A compaction was installed."""
        self.consecutive_failures = 0
        self._futile_below = 0.0
        self._turns_since = 0
        self._refill_counted = False
        if manual:
            self._quick_refills = 0
