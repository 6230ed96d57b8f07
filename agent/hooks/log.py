"""What the hooks of a session have come to: it outlives every reload of the settings."""

from msgspec import Struct

from agent.hooks.outcome import Status


class Ran(Struct, frozen=True):
    """How often a hook has run, and how it last ended; `exit_code` None when we ended it or it never started."""

    times: int
    status: Status
    text: str
    exit_code: int | None
    duration_ms: int


class HookLog:
    """One per session, handed to each `Hooks`."""

    def __init__(self) -> None:
        self.prompt_id = ""
        self._ran: dict[tuple[str, str], Ran] = {}
        self._told: set[tuple[str, str]] = set()
        self._late: list[str] = []

    def add(self, event: str, command: str, status: Status, text: str, exit_code: int | None, duration_ms: int) -> None:
        """Notes one run that has ended."""
        known = self._ran.get((event, command))
        times = known.times + 1 if known else 1
        self._ran[event, command] = Ran(times, status, text, exit_code, duration_ms)

    def ran(self, event: str, command: str) -> Ran | None:
        """How this hook has fared; None when it has not run."""
        return self._ran.get((event, command))

    def first_time(self, event: str, command: str) -> bool:
        """Whether this hook's failure to start has not been told yet; from now on it has."""
        fresh = (event, command) not in self._told
        self._told.add((event, command))
        return fresh

    def say_later(self, texts: tuple[str, ...]) -> None:
        """Keeps what a background hook wants the model to know."""
        self._late.extend(texts)

    def take_late(self) -> tuple[str, ...]:
        """What was kept, once."""
        late, self._late = tuple(self._late), []
        return late
