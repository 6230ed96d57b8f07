"""Models on the real wire, closed when their test ends."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from agent.anthropic_api.client import DEFAULT_PATIENCE, AnthropicModel
from agent.anthropic_api.patience import Patience
from agent.anthropic_api.retry import RetryPolicy
from agent.protocol.clock import Clock
from agent.protocol.model import CacheTtl
from agent.settings.credentials import Credentials
from agent.telemetry.log import Log
from tests.unit.anthropic_api.wire_support import KEY, HandClock, MakeModel

TEN_ATTEMPTS = RetryPolicy()


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def log_folder(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
async def make_model(clock: HandClock, log_folder: Path) -> AsyncIterator[MakeModel]:
    """Models for a base URL, closed at the end; pauses between attempts take no time."""
    async with AsyncExitStack() as stack:

        def make(
            url: str,
            *,
            retry: RetryPolicy = TEN_ATTEMPTS,
            patience: Patience = DEFAULT_PATIENCE,
            cache_ttl: CacheTtl | None = "5m",
            credentials: Credentials | None = None,
            watch: Clock | None = None,
        ) -> AnthropicModel:
            model = AnthropicModel(
                credentials or Credentials(api_key=KEY, base_url=url),
                clock=watch or clock,
                retry=retry,
                log=Log(log_folder),
                patience=patience,
                cache_ttl=cache_ttl,
                sleep=clock.sleep,
                chance=lambda: 0.0,
            )
            stack.push_async_callback(model.close)
            return model

        yield make
