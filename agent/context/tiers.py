"""The ladder of the context: the one place that computes its rungs."""

from agent.protocol.meter import RESERVE_CAP, SMALL_WINDOW, Tiers, Windows

AUTO_COMPACT_BUFFER = 13_000  # design note 000 section 2
BLOCKING_BUFFER = 3_000  # design note 001, manual compaction buffer


def compute_tiers(
    windows: Windows, *, auto: bool, pct: int | None = None, blocking_override: int | None = None
) -> tuple[Tiers, tuple[str, ...]]:
    """The tiers in tokens, rounded down, and one plain line for each override that was clamped or refused.

    `pct` is CLAUDE_AUTOCOMPACT_PCT_OVERRIDE (percent of the compaction window; it can only lower T), `blocking_override` is
    CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE. With `auto` off there is no auto-compact tier and the blocking limit takes its place.
    warning < error < T <= blocking < E < W for every window from 4,000 tokens up.
    """
    threshold, pct_notice = _threshold(windows, pct)
    blocking, blocking_notice = _blocking(windows, threshold, blocking_override)
    full = threshold if auto else blocking
    tiers = Tiers(
        warning=max(full * 80 // 100, full - 30_000),
        error=max(full * 92 // 100, full - 10_000),
        auto_compact=threshold if auto else None,
        blocking=blocking,
    )
    return tiers, (*pct_notice, *blocking_notice)


def _threshold(windows: Windows, pct: int | None) -> tuple[int, tuple[str, ...]]:
    """T = min(C - reserve - 13,000 * s, pct of C)."""
    ceiling = _below(windows.compaction, _reserve(windows) + AUTO_COMPACT_BUFFER)
    if pct is None:
        return ceiling, ()
    clamped = min(100, max(1, pct))
    notice = () if clamped == pct else (f"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE={pct} is outside 1-100; used {clamped}.",)
    return min(ceiling, windows.compaction * clamped // 100), notice


def _blocking(windows: Windows, threshold: int, override: int | None) -> tuple[int, tuple[str, ...]]:
    """E - 3,000 * sw, or the override when it lies between T and E."""
    computed = _below(windows.model, _reserve(windows) + BLOCKING_BUFFER)
    if override is None or threshold < override < windows.effective:
        return computed if override is None else override, ()
    allowed = f"between {threshold:,} and {windows.effective:,}"
    line = f"CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE={override} is not {allowed}; used {computed:,}."
    return computed, (line,)


def _reserve(windows: Windows) -> int:
    return min(windows.max_output, RESERVE_CAP)


def _below(window: int, amount: int) -> int:
    """`window` less `amount`, which shrinks with windows below 100,000; rounded down once, at the end."""
    return (window * SMALL_WINDOW - amount * min(window, SMALL_WINDOW)) // SMALL_WINDOW
