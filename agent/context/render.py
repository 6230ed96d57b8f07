"""The words of /context, as Markdown."""

from collections.abc import Iterator, Sequence
from itertools import chain, repeat

from agent.context.breakdown import Breakdown
from agent.protocol.markdown import table
from agent.protocol.meter import Level, Reading

_ESCAPED = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>#"})


def render_context(
    breakdown: Breakdown,
    reading: Reading,
    model: str,
    marks: Sequence[str] = (),
    forecasts: Sequence[str] = (),
    hint: str = "",
    *,
    way_out: str = "",
) -> str:
    """Model, the number with its margin, the ladder, the table of rows, and the largest items.

    `marks` says of each item what was done to it (pinned, ...), `forecasts` what leaving it out would save and cost, `hint` what can be
    done, and `way_out` what helps when a limit is passed.
    """
    parts = [
        "## Context Usage",
        f"**Model:** {_plain(model)}  \n**Tokens:** {_used(reading)}  \n{_ladder(reading)}",
        *_over_limit(reading, way_out),
        _table(breakdown, reading.window),
        *_largest(breakdown, marks, forecasts),
        *([hint] if hint and breakdown.largest else []),
    ]
    return "\n\n".join(parts) + "\n"


def _used(reading: Reading) -> str:
    window = f"{reading.window:,} ({reading.windows.source.value})"
    if reading.used is None:
        return f"? / {window}"
    mark = "~" if reading.estimated else ""
    margin = f" ± {reading.margin:,}" if reading.margin else ""
    share = _percent(reading.used, reading.window)
    target = "auto-compact" if reading.tiers.auto_compact is not None else "the blocking limit"
    of_threshold = _percent(reading.used, reading.tiers.threshold)
    return f"{mark}{reading.used:,}{margin} / {window}, {share} of the window, {of_threshold} of {target}"


def _ladder(reading: Reading) -> str:
    tiers = reading.tiers
    rungs = [f"warning at {tiers.warning:,}", f"error at {tiers.error:,}"]
    rungs.append("auto-compact is off" if tiers.auto_compact is None else f"auto-compact at {tiers.auto_compact:,}")
    rungs.append(f"blocking at {tiers.blocking:,}")
    text = f"**Ladder:** {' · '.join(rungs)}"
    windows = reading.windows
    if windows.compaction == windows.model:
        return text
    return f"{text}  \n**Compaction window:** {windows.compaction:,} ({windows.compaction_source.value})"


def _over_limit(reading: Reading, way_out: str) -> list[str]:
    if reading.used is None:
        return []
    over, past = reading.used - reading.window, reading.used - reading.windows.compaction
    if over > 0:
        what = f"Context exceeds the {reading.window:,}-token limit by {over:,} tokens"
    elif past > 0:
        what = f"Context is {past:,} tokens past the {reading.windows.compaction:,}-token compaction window"
    elif reading.level is Level.BLOCKING:
        what = "Context limit reached"
    else:
        return []
    return [f"{what} — {way_out}" if way_out[:1].islower() else f"{what}. {way_out}"]


def _table(breakdown: Breakdown, window: int) -> str:
    rows = ((row.name, f"{row.tokens:,}", _percent(row.tokens, window)) for row in breakdown.categories)
    return table(("Category", "Tokens", "Percentage"), rows, numbers=(1, 2))


def _largest(breakdown: Breakdown, marks: Sequence[str], forecasts: Sequence[str]) -> list[str]:
    if not breakdown.largest:
        return []
    items = zip(breakdown.largest, _padded(marks), _padded(forecasts), strict=False)
    rows = (
        (str(number), f"{_plain(item.name)}{f' ({mark})' if mark else ''}", f"~{item.tokens:,}", _plain(forecast))
        for number, (item, mark, forecast) in enumerate(items, start=1)
    )
    return ["### Largest items", table(("N", "Item", "Tokens", "Left out"), rows, numbers=(0, 2))]


def _padded(texts: Sequence[str]) -> Iterator[str]:
    return chain(texts, repeat(""))


def _percent(part: int, whole: int) -> str:
    """Rounded down, as the meter does it: no place shows a step as reached before it is."""
    tenths = 1_000 * part // max(1, whole)
    return f"{tenths // 10}.{tenths % 10}%"


def _plain(text: str) -> str:
    """Names come from files and models: one line, no Markdown of their own."""
    return " ".join(text.split()).translate(_ESCAPED)
