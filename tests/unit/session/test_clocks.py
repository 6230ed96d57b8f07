"""What is asked again after a while is asked by the session's clock."""

from collections.abc import AsyncGenerator
from pathlib import Path

from agent.protocol.model import Delta, LearntWindow, Reply, Request
from agent.session.key_helper import HelpedModel, KeyHelper
from agent.session.windows import FRESH_SECONDS, WindowBook
from agent.settings.credentials import Credentials, routing_of
from tests.unit.anthropic_api.wire_support import HandClock


class Counting:
    """A way to the API that only tells windows, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def learn_window(self, model: str) -> LearntWindow | None:
        self.asked += 1
        return LearntWindow(300_000, 8_000)

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        raise AssertionError("nobody answers here")
        yield

    async def close(self) -> None:
        pass


async def test_a_window_is_asked_for_again_after_a_day(tmp_path: Path) -> None:
    clock, probe = HandClock(), Counting()
    for seconds, asked in ((0, 1), (FRESH_SECONDS - 1, 1), (1, 2)):
        await clock.sleep(seconds)
        await WindowBook(tmp_path, "", clock).learn("m", probe)
        assert probe.asked == asked


async def test_a_key_is_asked_for_again_when_its_time_is_over(tmp_path: Path) -> None:
    clock, keys = HandClock(), list[str]()

    def make(found: Credentials) -> Counting:
        keys.append(found.api_key or "")
        return Counting()

    helper = KeyHelper("echo x >> n; wc -l < n", {"PATH": "/usr/bin:/bin"}, tmp_path)
    model = HelpedModel(helper, routing_of({}), make, clock)
    for seconds, last in ((0, "1"), (helper.ttl - 1, "1"), (1, "2")):
        await clock.sleep(seconds)
        await model.learn_window("m")
        assert keys[-1] == last
