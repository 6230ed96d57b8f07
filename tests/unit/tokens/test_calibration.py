"""Learning the true ratio of each class, noticing drift, and a margin that holds."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.tokens.calibrate import Calibration
from agent.tokens.sizes import Sizes


def prose(tokens: float) -> Sizes:
    return Sizes(prose=tokens, spread=tokens)


def tools(tokens: float) -> Sizes:
    return Sizes(tools=tokens, spread=tokens)


def test_before_any_response_the_estimate_stands() -> None:
    assert Calibration().predict(Sizes(prose=100, tools=50, media=7, spread=60)) == 157
    assert Calibration().margin(Sizes()) == 0
    assert Calibration().margin(prose(1_000)) > 0


@pytest.mark.parametrize("ratio", [0.7, 0.9, 1.0, 1.2, 1.5])
def test_it_converges_to_the_true_ratio(ratio: float) -> None:
    calibration = Calibration()
    for _ in range(12):
        calibration.observe(prose(1_000), round(1_000 * ratio))
    assert calibration.predict(prose(1_000)) == pytest.approx(1_000 * ratio, rel=0.03)


def test_classes_are_learnt_apart_in_the_end() -> None:
    calibration = Calibration()
    for _ in range(80):
        calibration.observe(prose(1_000), 900)
        calibration.observe(tools(1_000), 1_300)
    assert calibration.predict(prose(1_000)) == pytest.approx(900, rel=0.02)
    assert calibration.predict(tools(1_000)) == pytest.approx(1_300, rel=0.02)
    assert calibration.predict(Sizes(media=1_000, spread=1_000)) == 1_000


def test_what_prose_shows_of_a_tokenizer_is_believed_of_tool_output_until_that_speaks_for_itself() -> None:
    calibration = Calibration()
    for _ in range(5):
        calibration.observe(prose(4_000), 3_000)
    assert calibration.predict(tools(1_000)) < 850
    assert calibration.predict(Sizes(media=1_000, spread=1_000)) == 1_000
    for _ in range(20):
        calibration.observe(tools(4_000), 4_000)
    assert calibration.predict(tools(1_000)) == pytest.approx(1_000, rel=0.03)


def test_a_drift_of_a_third_is_caught_up_within_five_responses() -> None:
    calibration = Calibration()
    for _ in range(200):
        calibration.observe(tools(2_000), 2_000)
    for _ in range(5):
        calibration.observe(tools(2_000), 2_600)
    assert calibration.predict(tools(2_000)) == pytest.approx(2_600, rel=0.05)


@pytest.mark.parametrize("true_tokens", [-50_000, 0, 100, 17_000, 10**9])
def test_what_no_tokenizer_could_do_teaches_no_ratio(true_tokens: int) -> None:
    calibration = Calibration()
    calibration.observe(prose(1_000), true_tokens)
    assert calibration.predict(prose(1_000)) == 1_000


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e5), st.integers(-(10**7), 10**7))))
def test_a_ratio_never_leaves_its_bounds(responses: list[tuple[float, float, float, int]]) -> None:
    calibration = Calibration()
    for text, traffic, media, true_tokens in responses:
        calibration.observe(Sizes(prose=text, tools=traffic, media=media, spread=text + traffic), true_tokens)
    for sizes in (prose(10_000), tools(10_000), Sizes(media=10_000, spread=10_000)):
        assert 5_000 <= calibration.predict(sizes) <= 20_000
        assert 0 < calibration.margin(sizes) < 100_000


@pytest.mark.parametrize("noise", [0.02, 0.06, 0.12, 0.25])
def test_the_margin_holds_nineteen_times_in_twenty(noise: float) -> None:
    dice = random.Random(11)
    calibration = Calibration()
    hits = []
    for _ in range(3_000):
        size = dice.lognormvariate(6, 1)
        true_tokens = round(size * 0.9 * dice.gauss(1, noise) + dice.gauss(0, 10))
        hits.append(abs(calibration.predict(tools(size)) - true_tokens) <= calibration.margin(tools(size)))
        calibration.observe(tools(size), true_tokens)
    assert 0.93 <= sum(hits) / len(hits) <= 0.97


def test_many_small_blocks_are_surer_than_one_large() -> None:
    calibration = Calibration()
    for _ in range(50):
        calibration.observe(tools(1_000), 1_000)
    many = Sizes(tools=10_000, spread=1_000)
    assert calibration.margin(many) < calibration.margin(tools(10_000))


def test_sizes_add_up_and_their_errors_do_not() -> None:
    total = Sizes(prose=3, spread=3) + Sizes(tools=4, media=1, spread=4)
    assert (total.prose, total.tools, total.media, total.total, total.spread) == (3, 4, 1, 8, 5)
