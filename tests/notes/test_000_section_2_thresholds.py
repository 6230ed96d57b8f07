"""Design note 000, section 2: where auto-compact fires, which window decides, and what overrides it."""

import pytest

from agent.context.tiers import AUTO_COMPACT_BUFFER, compute_tiers
from agent.context.window import resolve_windows
from agent.models.table import lookup
from agent.protocol.meter import RESERVE_CAP, Windows, WindowSource


def windows(model: int, *, max_output: int = 64_000) -> Windows:
    return Windows(model=model, compaction=model, max_output=max_output, source=WindowSource.TABLE)


def test_the_constants_of_the_note() -> None:
    assert (AUTO_COMPACT_BUFFER, RESERVE_CAP) == (13_000, 20_000)


@pytest.mark.parametrize("window", [100_000, 200_000, 500_000, 1_000_000])
def test_the_threshold_is_the_effective_window_less_13_000(window: int) -> None:
    sizes = windows(window)
    assert sizes.effective == window - 20_000
    assert compute_tiers(sizes, auto=True)[0].auto_compact == sizes.effective - 13_000


def test_the_figures_that_are_known_from_outside() -> None:
    assert compute_tiers(windows(200_000), auto=True)[0].auto_compact == 167_000
    assert compute_tiers(windows(1_000_000), auto=True)[0].auto_compact == 967_000


def test_the_summary_reserve_is_at_most_20_000() -> None:
    assert windows(200_000, max_output=128_000).effective == 180_000
    assert windows(200_000, max_output=8_192).effective == 200_000 - 8_192


def test_a_window_below_100_000_scales_its_reserves_down() -> None:
    # Unscaled, a window of 33,000 would compact at 0: the note has only large windows in mind.
    assert compute_tiers(windows(33_000), auto=True)[0].auto_compact == 33_000 - 6_600 - 4_290


ORDER = [WindowSource.ENV, WindowSource.FLAG, WindowSource.SETTINGS, WindowSource.EXPERIMENT]


@pytest.mark.parametrize("strongest", range(len(ORDER)))
def test_the_order_of_the_sources(strongest: int) -> None:
    candidates = [(300_000 + 10_000 * rank, source) for rank, source in enumerate(ORDER)][strongest:]
    resolved, _ = resolve_windows(lookup("opus"), compaction=candidates)
    assert resolved.compaction == 300_000 + 10_000 * strongest
    assert resolved.compaction_source is ORDER[strongest]


def test_without_any_source_the_model_s_own_window_decides() -> None:
    resolved, _ = resolve_windows(lookup("opus"))
    assert resolved.compaction == resolved.model == 1_000_000


def test_an_unknown_model_compacts_at_the_window_assumed_for_it() -> None:
    resolved, _ = resolve_windows(lookup("nobody-knows-it"))
    assert resolved.compaction_source is WindowSource.ASSUMED
    assert compute_tiers(resolved, auto=True)[0].auto_compact == 167_000


def test_the_percentage_presses_the_threshold_down_to_a_share_of_the_window() -> None:
    assert compute_tiers(windows(200_000), auto=True, pct=50)[0].auto_compact == 100_000
    assert compute_tiers(windows(200_000), auto=True, pct=99)[0].auto_compact == 167_000


def test_the_blocking_override() -> None:
    assert compute_tiers(windows(200_000), auto=True, blocking_override=170_000)[0].blocking == 170_000


def test_switching_auto_compact_off_changes_the_trigger_and_no_window() -> None:
    on, off = compute_tiers(windows(200_000), auto=True)[0], compute_tiers(windows(200_000), auto=False)[0]
    assert off.auto_compact is None
    assert off.blocking == on.blocking
