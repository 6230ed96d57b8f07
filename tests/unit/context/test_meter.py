"""The one number: anchored on usage, estimated beyond it, right at once after every rewrite."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.context.meter import Meter
from agent.context.tiers import compute_tiers
from agent.protocol.blocks import Text, ToolResult
from agent.protocol.errors import InvariantBroken
from agent.protocol.messages import Message, Usage, user_message
from agent.protocol.meter import Level, Windows, WindowSource
from agent.tokens.messages import estimate_message

OVERHEAD = 3_000
PROSE = "The parser returns an error for an unknown option and goes on with the next line. "


def answer(text: str) -> Message:
    return Message(role="assistant", blocks=(Text(text=text),))


def result(text: str) -> Message:
    return Message(role="user", blocks=(ToolResult(tool_use_id="toolu_1", content=text),))


def new_meter(window: int = 200_000, *, auto: bool = True) -> Meter:
    meter = Meter("v4.8")
    windows = Windows(model=window, compaction=window, max_output=64_000, source=WindowSource.TABLE)
    meter.configure(windows, compute_tiers(windows, auto=auto)[0], auto)
    return meter


def estimate(messages: Sequence[Message]) -> int:
    return sum(estimate_message(message) for message in messages)


def test_before_the_first_response_it_is_an_estimate_of_all_that_will_be_sent() -> None:
    view = (user_message(PROSE),)
    reading = new_meter().read(view, OVERHEAD)
    assert reading.used == OVERHEAD + estimate(view)
    assert reading.estimated
    assert reading.margin > 0


def test_unknown_is_none_and_never_nought() -> None:
    reading = new_meter().read((user_message("hi"),), None)
    assert reading.used is None
    assert reading.percent is None
    assert reading.level is Level.UNKNOWN
    assert (reading.margin, reading.estimated) == (0, False)


def test_after_a_response_it_is_what_the_api_counted() -> None:
    meter = new_meter()
    view = (user_message(PROSE), answer("Done."))
    meter.observe(view, Usage(input=10, cache_read=39_000, cache_creation=900, output=90))
    reading = meter.read(view, OVERHEAD)
    assert (reading.used, reading.margin, reading.estimated) == (40_000, 0, False)


def test_what_was_appended_since_is_estimated_and_marked() -> None:
    meter = new_meter()
    view = (user_message(PROSE), answer("Done."))
    meter.observe(view, Usage(input=40_000))
    more = (*view, result(PROSE * 30))
    reading = meter.read(more, OVERHEAD)
    assert reading.used == 40_000 + estimate(more[2:])
    assert reading.estimated
    assert 0 < reading.margin < estimate(more[2:])


def test_the_size_of_the_last_response_counts_and_not_a_running_sum() -> None:
    meter = new_meter(20_000)
    view: tuple[Message, ...] = ()
    for turn in range(10):
        view = (*view, user_message(f"turn {turn}"), answer("ok"))
        meter.observe(view, Usage(input=3_000, output=2))
    assert meter.read(view, OVERHEAD).used == 3_002


def test_a_large_cache_read_is_believed() -> None:
    meter = new_meter(1_000_000)
    view = (user_message("hi"), answer("ok"))
    meter.observe(view, Usage(input=5, cache_read=399_995))
    assert meter.read(view, OVERHEAD).used == 400_000


def test_right_after_a_compaction_it_is_the_estimate_of_what_will_be_sent() -> None:
    meter = new_meter()
    view = (user_message(PROSE * 100), answer("Done."))
    meter.read(view[:1], OVERHEAD)
    meter.observe(view, Usage(input=160_000, output=500))
    summary = (user_message("This session continues an earlier one. " + PROSE * 10),)
    meter.rewritten(summary, OVERHEAD)
    reading = meter.read(summary, OVERHEAD)
    assert reading.used == pytest.approx(OVERHEAD + estimate(summary), rel=0.1)
    assert reading.estimated
    assert reading.level is Level.OK


def test_an_anchor_never_speaks_for_another_history() -> None:
    meter = new_meter()
    meter.observe((user_message("a"), answer("b")), Usage(input=150_000))
    for other in ((), (user_message("a"),), (user_message("a"), answer("other")), (user_message("x"),) * 5):
        used = meter.read(other, OVERHEAD).used
        assert used is not None
        assert used < 4_000


def test_an_equal_history_read_back_from_disk_keeps_its_anchor() -> None:
    meter = new_meter()
    meter.observe((user_message("a"), answer("b")), Usage(input=150_000))
    assert meter.read((user_message("a"), answer("b")), OVERHEAD).used == 150_000


@pytest.mark.parametrize(
    "usage",
    [None, Usage(), Usage(output=50), Usage(input=-5, output=3), Usage(input=100, cache_read=-1), Usage(input=7)],
)
def test_missing_or_impossible_usage_leaves_an_estimate(usage: Usage | None) -> None:
    meter = new_meter()
    view = (user_message(PROSE * 2_000), answer("Done."))
    meter.observe(view, usage)
    reading = meter.read(view, OVERHEAD)
    assert reading.used == OVERHEAD + estimate(view)
    assert reading.estimated


def test_one_bad_usage_does_not_lose_the_last_good_one() -> None:
    meter = new_meter()
    view = (user_message(PROSE), answer("Done."))
    meter.observe(view, Usage(input=40_000))
    longer = (*view, user_message("And now?"), answer("Nothing."))
    meter.observe(longer, None)
    used = meter.read(longer, OVERHEAD).used
    assert used is not None
    assert used == 40_000 + estimate(longer[2:])


def test_a_small_count_in_a_small_history_is_believed() -> None:
    meter = new_meter()
    view = (user_message(PROSE * 20), answer("Done."))
    meter.observe(view, Usage(input=10, output=5))
    assert meter.read(view, OVERHEAD).used == 15


def test_it_learns_the_tokenizer_behind_the_api() -> None:
    meter = new_meter(1_000_000)
    view: tuple[Message, ...] = (user_message(PROSE),)
    true_tokens = meter.read(view, OVERHEAD).used or 0
    for _ in range(10):
        view = (*view, answer("Next."))
        meter.observe(view, Usage(input=true_tokens, output=8))
        view = (*view, result(PROSE * 40))
        true_tokens += 8 + round(1.2 * estimate(view[-1:]))
    assert meter.read(view, OVERHEAD).used == pytest.approx(true_tokens, abs=0.03 * estimate(view[-1:]))


def test_what_a_record_teaches_leaves_the_meter_where_it_stands() -> None:
    meter = new_meter(1_000_000)
    view = (user_message(PROSE), answer("Done."))
    meter.observe(view, Usage(input=40_000))
    for _ in range(8):
        meter.learn((result(PROSE * 100),), round(1.2 * estimate((result(PROSE * 100),))))
    assert meter.read(view, OVERHEAD).used == 40_000
    more = (*view, result(PROSE * 100))
    assert meter.read(more, OVERHEAD).used == pytest.approx(40_000 + 1.2 * estimate(more[2:]), rel=0.01)


def test_another_tokenizer_counts_anew_and_the_same_keeps_its_anchor() -> None:
    meter = new_meter()
    view = (user_message(PROSE * 100), answer("Done."))
    meter.observe(view, Usage(input=40_000))
    meter.switch(view, "v4.8")
    assert meter.read(view, OVERHEAD).used == 40_000
    assert not meter.read(view, OVERHEAD).estimated
    meter.switch(view, "v3")
    reading = meter.read(view, OVERHEAD)
    older = sum(estimate_message(message, "v3") for message in view)
    assert reading.used == pytest.approx(40_000 * older / estimate(view), abs=1)
    assert reading.estimated
    assert reading.margin > 0


def test_an_answer_of_an_earlier_time_is_the_anchor_in_the_tokens_of_the_model_now() -> None:
    view = (user_message(PROSE * 100), answer("Done."))
    same, other = new_meter(), new_meter()
    same.resumed(view, Usage(input=40_000), ("v4.8", None))
    assert (same.read(view, OVERHEAD).used, same.read(view, OVERHEAD).estimated) == (40_000, False)
    other.resumed(view, Usage(input=40_000), ("v3", None))
    reading = other.read(view, OVERHEAD)
    assert reading.used is not None
    assert 44_000 < reading.used < 60_000  # the newer tokenizer takes a fifth to a half more
    assert reading.estimated
    longer = (*view, user_message("More."), answer("Yes."))
    other.observe(longer, Usage(input=51_000, output=5))
    assert (other.read(longer, OVERHEAD).used, other.read(longer, OVERHEAD).estimated) == (51_005, False)


@pytest.mark.parametrize(
    "usage", [Usage(input=10**12), Usage(input=5, cache_read=5_000_000), Usage(input=3_000, output=10**9)]
)
def test_a_usage_beyond_the_window_and_beyond_belief_leaves_an_estimate(usage: Usage) -> None:
    meter = new_meter()
    view = (user_message(PROSE * 200), answer("Done."))
    meter.read(view[:1], OVERHEAD)
    meter.observe(view, usage)
    reading = meter.read(view, OVERHEAD)
    assert reading.used == OVERHEAD + estimate(view)
    assert reading.estimated


def test_a_window_that_was_assumed_too_small_does_not_make_a_usage_implausible() -> None:
    meter = new_meter(200_000)
    view = (user_message(PROSE * 12_000), answer("Done."))
    meter.observe(view, Usage(input=230_000, output=5))
    assert (meter.read(view, OVERHEAD).used, meter.read(view, OVERHEAD).estimated) == (230_005, False)


def test_a_tokenizer_at_hand_replaces_the_features() -> None:
    meter = new_meter()
    meter.switch((), "v3", len)
    assert meter.read((user_message("x" * 995),), 1_000).used == 2_000


def test_reading_before_configuring_is_a_bug_and_says_so() -> None:
    with pytest.raises(InvariantBroken):
        Meter("v4.8").read((), OVERHEAD)


def test_a_turn_counts_only_what_is_new() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    meter = new_meter()
    meter.switch((), "v3", count)
    view: tuple[Message, ...] = tuple(user_message(f"message {n}") for n in range(100))
    meter.read(view, OVERHEAD)
    view = (*view, answer("answer"))
    meter.observe(view, Usage(input=50_000))
    asked.clear()
    meter.read((*view, user_message("the new one")), OVERHEAD)
    assert asked == ["the new one"]


@settings(deadline=None)
@given(turns=st.lists(st.integers(1, 40), min_size=1, max_size=8), seen=st.integers(0, 7))
def test_the_number_never_falls_while_the_history_grows(turns: list[int], seen: int) -> None:
    meter = new_meter(1_000_000)
    view: tuple[Message, ...] = ()
    last = 0
    for number, size in enumerate(turns):
        view = (*view, user_message(PROSE * size))
        used = meter.read(view, OVERHEAD).used
        assert used is not None
        assert used >= last
        last = used
        view = (*view, answer("ok"))
        if number == seen:
            meter.observe(view, Usage(input=used, output=7))
            last = used + 7
