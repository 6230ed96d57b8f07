"""Time and identity, handed in so that tests can turn the clock."""

import time
import uuid
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Wall time for records, monotonic seconds for durations."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...


class SystemClock:
    """The real clock, in UTC."""

    def now(self) -> datetime:
        """The current time, timezone-aware."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()


class Ids(Protocol):
    """Where new identifiers come from."""

    def new(self) -> str: ...


class RandomIds:
    """Random UUIDs (version 4)."""

    def new(self) -> str:
        """A new UUID in its usual text form."""
        return str(uuid.uuid4())
