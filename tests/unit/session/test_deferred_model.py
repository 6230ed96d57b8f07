"""A model that cannot be loaded is an error for whoever waits for it, never a wait without end."""

import asyncio
import threading

import pytest

from agent.protocol.errors import CcagentError, SettingsError
from agent.session.deferred import ApiModel, DeferredModel
from tests.support.patience import PATIENCE

LOADER = "The SDK could not be loaded"


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (SettingsError("No address."), "No address."),
        (ImportError("No module named 'anthropic'"), f"{LOADER}: No module named 'anthropic'."),
    ],
)
async def test_a_failed_load_is_told_to_who_waits(error: Exception, line: str) -> None:
    def load() -> ApiModel:
        raise error

    model = DeferredModel(load)
    with pytest.raises(CcagentError) as caught:
        await asyncio.wait_for(model.learn_window("m"), PATIENCE)
    assert caught.value.line.startswith(line)
    await model.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # the thread dies of it, as it must
async def test_a_load_that_fails_as_nobody_thought_of_ends_the_wait() -> None:
    def load() -> ApiModel:
        raise RuntimeError("what nobody thought of")

    with pytest.raises(CcagentError, match=LOADER):
        await asyncio.wait_for(DeferredModel(load).learn_window("m"), PATIENCE)
    for thread in [each for each in threading.enumerate() if each.name == "load-sdk"]:
        await asyncio.to_thread(thread.join)
