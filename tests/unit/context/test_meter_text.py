"""The exact words beside the meter."""

import msgspec
import pytest

from agent.context.meter_text import meter_text
from agent.context.tiers import compute_tiers
from agent.protocol.meter import Reading, Windows, WindowSource

WINDOWS = Windows(model=200_000, compaction=200_000, max_output=64_000, source=WindowSource.TABLE)


def reading(used: int | None, *, auto: bool) -> Reading:
    return Reading(used=used, windows=WINDOWS, tiers=compute_tiers(WINDOWS, auto=auto)[0], auto=auto)


@pytest.mark.parametrize(
    ("used", "auto", "text"),
    [
        (None, True, ""),
        (0, True, ""),
        (136_999, True, ""),
        (137_000, True, "Context left until auto-compact: 17%"),
        (157_000, True, "Context left until auto-compact: 5%"),
        (166_999, True, "Context left until auto-compact: 0%"),
        (167_000, True, "Context left until auto-compact: 0%"),
        (176_999, True, "Context left until auto-compact: 0%"),
        (177_000, True, "Context limit reached · /compact or /clear to continue"),
        (146_999, False, ""),
        (147_000, False, "Context low (16% remaining) · Run /compact to compact & continue"),
        (167_000, False, "Context low (5% remaining) · Run /compact to compact & continue"),
        (
            177_000,
            False,
            "Context limit reached · /compact or /clear to continue · auto-compact is off · /autocompact on",
        ),
        (250_000, True, "Context limit reached · /compact or /clear to continue"),
    ],
)
def test_the_words_of_each_tier(used: int | None, auto: bool, text: str) -> None:
    assert meter_text(reading(used, auto=auto), auto=auto, compact_disabled=False) == text


@pytest.mark.parametrize(
    ("used", "text"),
    [
        (100_000, ""),
        (150_000, "Context low (15% remaining)"),
        (177_000, "Context limit reached · /clear to continue"),
    ],
)
def test_with_compaction_disabled_nothing_points_to_it(used: int, text: str) -> None:
    assert meter_text(reading(used, auto=False), auto=False, compact_disabled=True) == text


@pytest.mark.parametrize(
    ("used", "text"),
    [
        (100_000, ""),
        (150_000, "Context low (10% remaining) · Run /compact to compact & continue"),
        (170_000, "Context low (0% remaining) · Run /compact to compact & continue"),
        (177_000, "Context limit reached · /compact or /clear to continue"),
    ],
)
def test_while_it_rests_after_failures_it_is_not_promised(used: int, text: str) -> None:
    resting = msgspec.structs.replace(reading(used, auto=True), resting=True)
    assert meter_text(resting, auto=True, compact_disabled=False) == text


@pytest.mark.parametrize(
    ("used", "auto", "text"),
    [
        (150_000, False, "Context low (15% remaining)"),
        (150_000, True, "Context left until auto-compact: 10%"),
        (177_000, True, "Context limit reached · /context shows the way out"),
        (177_000, False, "Context limit reached · /context shows the way out"),
    ],
)
def test_where_nothing_can_be_compacted_nothing_points_to_it(used: int, auto: bool, text: str) -> None:
    fixed = msgspec.structs.replace(reading(used, auto=auto), compactable=False)
    assert meter_text(fixed, auto=auto, compact_disabled=False) == text
