"""Waiting for what must come: the limit only guards against hanging, so no machine is too slow for it."""

import asyncio
import time
from collections.abc import Callable

PATIENCE = 300.0  # seconds
LOOK = 0.02  # seconds between two looks at what tells nobody that it has happened


async def until(condition: Callable[[], object], what: str = "what was waited for") -> None:
    """Wait for what another task or process does; fails when it never comes."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"never came: {what}"
        await asyncio.sleep(LOOK)


def block_until(condition: Callable[[], object], what: str = "what was waited for") -> None:
    """The same where no event loop runs."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(LOOK)
