"""The context meter as one row: a bar with the ladder's ticks, the number, and the level by colour and word."""

from collections.abc import Sequence
from itertools import accumulate

from rich.cells import cell_len
from rich.style import Style

from agent.protocol.meter import Level, Reading, WindowSource
from tui.render.lines import Line, line
from tui.render.theme import Theme
from tui.render.wrap import Span

FULL, EMPTY, FULL_TICK, EMPTY_TICK = "━", "─", "╋", "┼"
MOST_BAR, LEAST_BAR, BAR_BESIDE_WORDS = 40, 10, 30  # cells
GAP = "  "


def meter_row(reading: Reading, words: str, width: int, theme: Theme) -> Line:
    """The meter in `width` cells; `words` is the engine's text for this reading (may be empty).

    What does not fit is left out: first the words, then the threshold, the percent, the level, at last the bar.
    A face that must show the words looks whether they stand in the row's text.
    """
    colour = level_style(reading.level, theme)
    number: Span = (numbers(reading), theme.text)
    level: Span = (level_word(reading.level), colour + theme.strong)
    percent: Span = (_percent(reading), theme.dim)
    ladder: Span = (_ladder(reading), theme.dim)
    said: Span = (words, colour)
    for parts in ((number, ladder, level, said), (number, ladder, level), (number, percent, level), (number, level)):
        shown = [part for part in parts if part[0]]
        room = width - sum(cell_len(text) + len(GAP) for text, _ in shown)
        if room >= (BAR_BESIDE_WORDS if said in shown else LEAST_BAR):
            return line(*bar(reading, min(MOST_BAR, room), theme), *_spaced(shown, theme))
    return line(number)


def bar(reading: Reading, cells: int, theme: Theme) -> list[Span]:
    """The bar alone: 0 to W, filled up to `used`, a tick at warning, error, auto-compact and blocking."""
    ticks = tick_cells(reading, cells)
    marks = [0, *(tokens for tokens, _ in ticks), reading.window]
    spots = [0, *(cell for _, cell in ticks), cells]
    filled = 0 if reading.used is None else _interpolate(reading.used, marks, spots)
    on = {cell for _, cell in ticks}
    full, empty = level_style(reading.level, theme), theme.rule
    spans: list[Span] = []
    for cell in range(cells):
        is_full, is_tick = cell < filled, cell in on
        char = (FULL_TICK if is_tick else FULL) if is_full else (EMPTY_TICK if is_tick else EMPTY)
        style = full if is_full else (theme.dim if is_tick else empty)
        if spans and spans[-1][1] is style:
            spans[-1] = (spans[-1][0] + char, style)
        else:
            spans.append((char, style))
    return spans


def tick_cells(reading: Reading, cells: int) -> list[tuple[int, int]]:
    """(tokens, cell) of each tick, in rising order; cells are in proportion, pushed apart where they would coincide."""
    tiers = reading.tiers
    marks = [tiers.warning, tiers.error, *([] if tiers.auto_compact is None else [tiers.auto_compact]), tiers.blocking]
    wanted = [max(1, mark * cells // max(1, reading.window)) for mark in marks]  # cell 0 shows that something is used
    latest = [cells - (len(marks) - at) for at in range(len(marks))]
    spots = [min(want, late) for want, late in zip(wanted, latest, strict=True)]
    rising = accumulate(spots, lambda before, spot: max(before + 1, spot))
    return list(zip(marks, rising, strict=True))


def numbers(reading: Reading) -> str:
    """`used / window`: "~" before an estimate, "?" for what is not known, and a word where nobody knows the window."""
    used = "?" if reading.used is None else f"{'~' if reading.estimated else ''}{reading.used:,}"
    assumed = " (assumed)" if reading.windows.source is WindowSource.ASSUMED else ""
    return f"{used} / {reading.window:,}{assumed}"


def level_word(level: Level) -> str:
    """The level in a word."""
    return level.value.replace("_", "-")


def level_style(level: Level, theme: Theme) -> Style:
    """The level's colour."""
    return {
        Level.OK: theme.good,
        Level.WARNING: theme.warn,
        Level.ERROR: theme.error,
        Level.AUTO_COMPACT: theme.keyword,
        Level.BLOCKING: theme.bad,
        Level.UNKNOWN: theme.dim,
    }[level]


def _percent(reading: Reading) -> str:
    return "" if reading.percent is None else f"{int(reading.percent)}%"


def _ladder(reading: Reading) -> str:
    """`73% of auto-compact 167,000`, or what 100 % would be while the number is not known."""
    tiers = reading.tiers
    goal = f"limit {tiers.blocking:,}" if tiers.auto_compact is None else f"auto-compact {tiers.auto_compact:,}"
    return f"{_percent(reading)} of {goal}" if reading.percent is not None else goal


def _interpolate(used: int, marks: Sequence[int], spots: Sequence[int]) -> int:
    """The cell for `used`: in proportion between the two ticks around it, so that bar and ticks never disagree."""
    for low, high, begin, end in zip(marks, marks[1:], spots, spots[1:], strict=False):
        if used < high:
            filled = begin + (used - low) * (end - begin) // max(1, high - low)
            return max(filled, 1 if used > 0 else 0) if low == 0 else max(filled, begin + 1)
    return spots[-1]


def _spaced(parts: Sequence[Span], theme: Theme) -> list[Span]:
    return [span for part in parts for span in ((GAP, theme.text), part)]
