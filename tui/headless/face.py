"""The headless face: events go to the output, notices to standard error, and every question is answered no."""

from collections.abc import Callable

from agent.protocol.asks import Answer, Ask
from agent.protocol.events import Event, HookFinished, Notice, RetryScheduled
from tui.render.safe import clean, clean_line
from tui.std_streams import write_stderr


class HeadlessFace:
    """Hands every event to `show` and keeps what a slash command printed."""

    def __init__(self, show: Callable[[Event], None]) -> None:
        self._show = show
        self._printed: list[str] = []

    @property
    def printed(self) -> str:
        """What a slash command printed, for `result`."""
        return "\n".join(self._printed)

    def show(self, event: Event) -> None:
        """Pass `event` on; notices, pauses and what hooks say are told on standard error too."""
        if isinstance(event, Notice) and event.level == "output":
            self._printed.append(event.text)
        elif isinstance(event, Notice):
            tell(event.level, event.text)
        elif isinstance(event, HookFinished) and (event.text or event.outcome != "ok"):
            ending = event.outcome if event.exit_code is None else f"{event.outcome}, exit code {event.exit_code}"
            tell("hook", f"{event.event} ({clean_line(event.command)}) {ending}: {event.text}".rstrip(": "))
        elif isinstance(event, RetryScheduled):
            tell("retry", f"{event.reason} Trying again in {event.delay:.1f} s ({event.attempt}/{event.max_attempts}).")
        self._show(event)

    async def ask(self, ask_id: str, question: Ask) -> Answer:
        """No: nobody is there to be asked."""
        return Answer("deny")


def tell(level: str, text: str) -> None:
    """A notice on standard error."""
    write_stderr(f"{level}: {clean(text)}\n")


def complain(line: str) -> None:
    """The one line on standard error that says why it failed."""
    tell("ccagent", clean_line(line))
