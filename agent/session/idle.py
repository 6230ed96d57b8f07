"""Notification hooks learn that the session waits for its person: once, a while after an answer."""

import asyncio

from agent.protocol.events import Emit
from agent.protocol.hooks import HookEvent, HookInput
from agent.session.state import State

NOTIFICATION = "idle_prompt"


class IdleNotice:
    """`messageIdleNotifThresholdMs` after `begin`, unless `stop` comes first; nobody idles where no person sits."""

    def __init__(self, state: State, emit: Emit) -> None:
        self._state = state
        self._emit = emit
        self._waiting: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """The session has answered."""
        self.stop()
        if self._state.builder.interactive:
            self._waiting = asyncio.get_running_loop().create_task(self._tell())

    def stop(self) -> None:
        """The person is there, or has left."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    async def _tell(self) -> None:
        await asyncio.sleep(self._state.builder.settings.message_idle_notif_threshold_ms.value / 1000)
        fields: dict[str, object] = {
            "message": "ccagent is waiting for your input",
            "title": "Waiting",
            "notification_type": NOTIFICATION,
        }
        hook = HookInput(event=HookEvent.NOTIFICATION, subject=NOTIFICATION, fields=fields)
        self._state.parts.hooks.tell(hook, self._emit)
