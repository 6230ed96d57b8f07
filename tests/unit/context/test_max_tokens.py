"""The one rule for the size of an answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.context.max_tokens import max_tokens_for
from agent.context.tiers import compute_tiers
from agent.protocol.meter import Reading, Windows, WindowSource


def reading(window: int, used: int | None, margin: int = 0, max_output: int = 128_000) -> Reading:
    windows = Windows(model=window, compaction=window, max_output=max_output, source=WindowSource.TABLE)
    return Reading(used=used, windows=windows, tiers=compute_tiers(windows, auto=True)[0], margin=margin)


@pytest.mark.parametrize(
    ("window", "used", "margin", "model_max", "setting", "answer"),
    [
        (200_000, 10_000, 0, 128_000, None, 32_000),
        (200_000, 10_000, 0, 8_192, None, 8_192),
        (200_000, 10_000, 0, 128_000, 64_000, 64_000),
        (200_000, 10_000, 0, 64_000, 500_000, 64_000),
        (200_000, 180_000, 0, 128_000, None, 19_000),
        (200_000, 180_000, 4_000, 128_000, None, 16_000),
        (20_000, 2_000, 0, 20_000, None, 17_800),
        (200_000, 250_000, 0, 128_000, None, 1_024),
        (200_000, 10_000, 0, 128_000, 0, 1_024),
        (200_000, None, 0, 128_000, None, 20_000),
        (200_000, 10_000, 0, 512, None, 512),
    ],
)
def test_the_smallest_limit_wins(
    window: int, used: int | None, margin: int, model_max: int, setting: int | None, answer: int
) -> None:
    now = reading(window, used, margin)
    assert max_tokens_for(now.windows, now, model_max, setting) == answer


@settings(deadline=None)
@given(
    window=st.integers(4_000, 1_000_000),
    share=st.floats(0, 0.7),
    model_max=st.integers(1_024, 200_000),
    setting=st.none() | st.integers(-10, 2_000_000),
)
def test_prompt_and_answer_fit_the_window_together(
    window: int, share: float, model_max: int, setting: int | None
) -> None:
    now = reading(window, int(window * share), max_output=model_max)
    answer = max_tokens_for(now.windows, now, model_max, setting)
    assert 1_024 <= answer <= model_max
    assert answer == 1_024 or int(window * share) + answer < window
