"""The ladder: its table, its order for every window and override, its notices."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent.context.tiers import compute_tiers
from agent.protocol.meter import Level, Tiers, Windows, WindowSource


def windows(model: int, compaction: int | None = None, max_output: int = 128_000) -> Windows:
    size = model if compaction is None else compaction
    return Windows(model=model, compaction=size, max_output=max_output, source=WindowSource.TABLE)


@pytest.mark.parametrize(
    ("window", "auto", "pct", "tiers"),
    [
        (200_000, True, None, Tiers(137_000, 157_000, 167_000, 177_000)),
        (1_000_000, True, None, Tiers(937_000, 957_000, 967_000, 977_000)),
        (20_000, True, None, Tiers(10_720, 12_328, 13_400, 15_400)),
        (200_000, True, 50, Tiers(80_000, 92_000, 100_000, 177_000)),
        (200_000, False, None, Tiers(147_000, 167_000, None, 177_000)),
    ],
)
def test_the_published_table(window: int, auto: bool, pct: int | None, tiers: Tiers) -> None:
    assert compute_tiers(windows(window), auto=auto, pct=pct) == (tiers, ())


def test_a_compaction_window_moves_the_trigger_but_not_the_blocking_limit() -> None:
    tiers, _ = compute_tiers(windows(1_000_000, 200_000), auto=True)
    assert tiers == Tiers(137_000, 157_000, 167_000, 977_000)


def test_a_small_answer_needs_a_small_reserve() -> None:
    tiers, _ = compute_tiers(windows(200_000, max_output=8_000), auto=True)
    assert (tiers.auto_compact, tiers.blocking) == (200_000 - 8_000 - 13_000, 200_000 - 8_000 - 3_000)


def test_every_value_is_rounded_down() -> None:
    # C = 12,345: exact values are T 8271.15, warning 6616.8, error 7609.3, blocking 9505.65.
    tiers, _ = compute_tiers(windows(12_345), auto=True)
    assert tiers == Tiers(6_616, 7_609, 8_271, 9_505)


def test_the_percentage_can_only_lower_the_trigger() -> None:
    assert compute_tiers(windows(200_000), auto=True, pct=100)[0].auto_compact == 167_000


@pytest.mark.parametrize(("pct", "trigger"), [(0, 2_000), (-7, 2_000), (101, 167_000), (10**9, 167_000)])
def test_an_absurd_percentage_is_clamped_and_named(pct: int, trigger: int) -> None:
    tiers, (line,) = compute_tiers(windows(200_000), auto=True, pct=pct)
    assert tiers.auto_compact == trigger
    assert f"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE={pct}" in line


@pytest.mark.parametrize("override", [-1, 0, 166_999, 167_000, 180_000, 10**12])
@pytest.mark.parametrize("auto", [True, False])
def test_a_blocking_override_outside_its_range_is_refused_in_one_line(override: int, auto: bool) -> None:
    tiers, (line,) = compute_tiers(windows(200_000), auto=auto, blocking_override=override)
    assert tiers.blocking == 177_000
    assert f"CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE={override}" in line
    assert "\n" not in line


@pytest.mark.parametrize("override", [167_001, 179_999])
def test_a_blocking_override_inside_its_range_holds(override: int) -> None:
    tiers, notices = compute_tiers(windows(200_000), auto=True, blocking_override=override)
    assert (tiers.blocking, notices) == (override, ())


def test_with_auto_compact_off_the_override_is_the_hundred_percent() -> None:
    tiers, _ = compute_tiers(windows(200_000), auto=False, blocking_override=170_000)
    assert (tiers.threshold, tiers.error, tiers.warning) == (170_000, 160_000, 140_000)


@settings(deadline=None)
@given(
    model=st.integers(4_000, 20_000_000) | st.integers(4_000, 200_000),
    share=st.floats(0, 1),
    max_output=st.integers(1_024, 1_000_000),
    auto=st.booleans(),
    pct=st.none() | st.integers(-5, 105),
    override=st.none() | st.integers(-1, 1_200_000),
)
@example(model=4_000, share=1.0, max_output=1_024, auto=True, pct=1, override=None)
@example(model=100_000, share=0.0, max_output=20_000, auto=True, pct=None, override=77_001)
def test_the_order_holds_for_every_window_and_override(
    model: int, share: float, max_output: int, auto: bool, pct: int | None, override: int | None
) -> None:
    size = max(4_000, int(model * share))
    sizes = windows(model, size, max_output)
    tiers, _ = compute_tiers(sizes, auto=auto, pct=pct, blocking_override=override)
    assert 0 < tiers.warning < tiers.error < tiers.threshold <= tiers.blocking < sizes.effective < sizes.model
    if tiers.auto_compact is not None:
        assert tiers.auto_compact < size


@settings(deadline=None)
@given(model=st.integers(4_000, 2_000_000), max_output=st.integers(1_024, 200_000), used=st.integers(0, 2_100_000))
def test_a_level_never_falls_while_the_context_grows(model: int, max_output: int, used: int) -> None:
    tiers, _ = compute_tiers(windows(model, max_output=max_output), auto=True)
    ladder = [Level.OK, Level.WARNING, Level.ERROR, Level.AUTO_COMPACT, Level.BLOCKING]
    assert ladder.index(tiers.level(used)) <= ladder.index(tiers.level(used + 1))


@settings(deadline=None)
@given(model=st.integers(1, 3_999), auto=st.booleans())
def test_even_a_window_too_small_to_work_in_gets_an_ordered_ladder(model: int, auto: bool) -> None:
    tiers, _ = compute_tiers(windows(model), auto=auto)
    assert 0 <= tiers.warning <= tiers.error <= tiers.threshold <= tiers.blocking <= model
