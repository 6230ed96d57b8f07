"""The meter row: the bar and its ticks agree, and what matters stays when it is narrow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.protocol.meter import Level, Reading, Tiers, Windows, WindowSource
from tui.render.meter import EMPTY_TICK, FULL_TICK, bar, level_style, level_word, meter_row, numbers, tick_cells
from tui.render.theme import DARK

TIERS = Tiers(warning=137_000, error=157_000, auto_compact=167_000, blocking=177_000)
OFF = Tiers(warning=147_000, error=167_000, auto_compact=None, blocking=177_000)


def reading(used: int | None, tiers: Tiers = TIERS, window: int = 200_000, *, estimated: bool = False) -> Reading:
    windows = Windows(model=window, compaction=window, max_output=64_000, source=WindowSource.TABLE)
    return Reading(used=used, windows=windows, tiers=tiers, estimated=estimated, auto=tiers.auto_compact is not None)


@st.composite
def readings(draw: st.DrawFn) -> Reading:
    window = draw(st.integers(4_000, 2_000_000))
    marks = sorted(draw(st.lists(st.integers(1, window - 1), min_size=4, max_size=4, unique=True)))
    auto = draw(st.booleans())
    tiers = Tiers(warning=marks[0], error=marks[1], auto_compact=marks[2] if auto else None, blocking=marks[3])
    return reading(draw(st.none() | st.integers(0, 2 * window)), tiers, window)


@given(readings(), st.integers(10, 60))
def test_every_tick_has_a_cell_of_its_own_and_the_fill_passes_just_the_ticks_that_were_reached(
    found: Reading, cells: int
) -> None:
    ticks = tick_cells(found, cells)
    spots = [cell for _, cell in ticks]
    assert spots == sorted(set(spots))
    assert all(0 <= cell < cells for cell in spots)
    text = "".join(piece for piece, _ in bar(found, cells, DARK))
    assert len(text) == cells
    for tokens, cell in ticks:
        reached = found.used is not None and found.used >= tokens
        assert text[cell] == (FULL_TICK if reached else EMPTY_TICK)


@given(readings(), st.integers(12, 200), st.sampled_from(["", "Context left until auto-compact: 12%"]))
def test_it_never_exceeds_its_width(found: Reading, width: int, words: str) -> None:
    assert cell_len(meter_row(found, words, width, DARK).text) <= max(width, len(numbers(found)))


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (reading(50_000), "50,000 / 200,000"),
        (reading(50_000, estimated=True), "~50,000 / 200,000"),
        (reading(None), "? / 200,000"),
        (reading(0), "0 / 200,000"),
    ],
)
def test_numbers(found: Reading, text: str) -> None:
    assert numbers(found) == text


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (reading(20_000), ["11% of auto-compact 167,000", "ok"]),
        (reading(140_000), ["83% of auto-compact 167,000", "warning"]),
        (reading(158_000), ["94% of", "error"]),
        (reading(168_000), ["100% of", "auto-compact"]),
        (reading(178_000), ["106% of", "blocking"]),
        (reading(None), ["unknown"]),
        (reading(150_000, OFF), ["84% of limit 177,000", "warning"]),
    ],
)
def test_percent_threshold_and_word(found: Reading, shown: list[str]) -> None:
    text = meter_row(found, "", 120, DARK).text
    assert all(piece in text for piece in shown)


def test_what_is_left_out_when_it_is_narrow() -> None:
    words = "Context left until auto-compact: 16%"
    found = reading(140_000)
    assert meter_row(found, words, 140, DARK).text.endswith(words)
    narrow = meter_row(found, words, 60, DARK).text
    assert words not in narrow
    assert "140,000 / 200,000" in narrow
    assert narrow.count(FULL_TICK) + narrow.count(EMPTY_TICK) == 4


def test_each_level_has_a_word_and_a_colour_of_its_own() -> None:
    assert len({level_word(level) for level in Level}) == len(Level)
    assert len({str(level_style(level, DARK)) for level in Level}) == len(Level)
