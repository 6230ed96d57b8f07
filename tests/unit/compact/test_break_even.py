"""When a clearing pays: by hand, against brute force, and never for what ends too soon."""

from hypothesis import given
from hypothesis import strategies as st

from agent.compact.break_even import Forecast, expected_requests, pays
from agent.models.table import lookup
from agent.protocol.messages import Usage

PRICES = [lookup(name).price for name in ("claude-sonnet-5-5", "claude-opus-5", "claude-haiku-4-5")]


def test_by_hand_on_sonnet():
    # read 0.10, write 2.50 $/MTok: 100K cleared save 0.010 $ a request, 40K written again cost 0.096 $ once
    price = lookup("claude-sonnet-5-5").price
    assert not pays(Forecast(100_000, 40_000, 9), price)
    assert pays(Forecast(100_000, 40_000, 10), price)
    assert pays(Forecast(1, 0, 1), price)  # a cold cache is written anew in any case


@given(st.integers(0, 200_000), st.integers(0, 900_000), st.integers(0, 200), st.sampled_from(PRICES))
def test_it_pays_exactly_when_the_bill_is_smaller(saved, kept, requests, price):
    with_all = (saved + kept) * price.read * (requests + 1)
    cleared = kept * price.write_5m + kept * price.read * requests
    difference = with_all - cleared - saved * price.read  # the first request's own saving is left out: a safe side
    assert pays(Forecast(saved, kept, requests), price) == (difference > 1e-6 * with_all) or abs(difference) < 1


def used(*contexts: int) -> list[Usage]:
    return [Usage(cache_read=context) for context in contexts]


def test_a_history_is_expected_to_last_as_long_again_but_no_further_than_the_threshold():
    assert expected_requests(used(1_000, 2_000, 3_000), room=100_000) == 3
    assert expected_requests(used(1_000, 2_000, 3_000), room=2_000) == 2
    assert expected_requests(used(1_000, 2_000, 3_000), room=-5) == 0
    assert expected_requests(used(1_000), room=100_000) == 0
    assert expected_requests(used(5_000, 5_000), room=10) == 2  # no growth: never a division by nothing
