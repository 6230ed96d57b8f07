"""What the person says to a compaction before it is made, and again before it is installed."""

from agent.protocol.asks import Answer, Asker, Preview
from agent.protocol.clock import Clock
from agent.protocol.errors import CompactDeclined


class Review:
    """Of one compaction. `waited` is how long the person took, in seconds; `over` says that they want to see no more of it."""

    def __init__(self, asker: Asker, clock: Clock, *, automatic: bool) -> None:
        self.automatic = automatic
        self.waited = 0.0
        self.over = False
        self._asker = asker
        self._clock = clock

    async def ask(self, preview: Preview) -> Answer:
        """The answer; raises CompactDeclined for a no, unless it asks for another summary."""
        began = self._clock.monotonic()
        answer = await self._asker.ask(preview)
        self.waited += self._clock.monotonic() - began
        if not answer.allowed and not (preview.summary and answer.edited):
            raise CompactDeclined("You kept the conversation as it is.", safe="Nothing was changed.")
        self.over = self.over or answer.choice == "session"
        return answer
