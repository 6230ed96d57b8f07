"""What the reports about transcripts are made of: headings, tables with bars, sizes and sums in words."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from rich.cells import cell_len, set_cell_size
from rich.style import Style

from agent.compact.report import dollars
from agent.protocol.text import counted
from agent.session.audit.spending import Spent
from tui.render.lines import BLANK, Line, line
from tui.render.safe import clean_line
from tui.render.theme import TERMINAL

FULL = "━"
BAR = 30  # cells of the longest bar
NAME = 26  # cells of a row's name
MOST_ROWS = 14
THEME = TERMINAL


def heading(text: str, note: str = "") -> list[Line]:
    """A blank row, and what the next rows are about."""
    return [BLANK, line((text, THEME.strong), (f"   {note}" if note else "", THEME.dim))]


def plain(text: str, style: Style = THEME.text) -> Line:
    """A row in one style."""
    return line((text, style))


def fit(text: str, cells: int) -> str:
    """`text` made safe, on one line, and cut to `cells` cells."""
    text = clean_line(text)
    return text if cell_len(text) <= cells else set_cell_size(text, max(0, cells - 1)).rstrip() + "…"


def source_table(ever: Mapping[str, int], now: Mapping[str, int] | None = None) -> list[Line]:
    """Tokens by source, the largest first, with a bar; what is there `now` in a column of its own."""
    names = sorted(ever, key=lambda name: -ever[name])
    shown, rest = names[:MOST_ROWS], names[MOST_ROWS:]
    rows = [(name, ever[name], (now or {}).get(name, 0)) for name in shown]
    if rest:
        others = sum(ever[name] for name in rest), sum((now or {}).get(name, 0) for name in rest)
        rows.append((f"{len(rest)} other sources", *others))
    total, longest = max(1, sum(ever.values())), max([1, *(row[1] for row in rows)])
    lines = []
    for name, tokens, still in rows:
        beside = f"{still:>12,}" if now is not None else ""
        figures = f"  {padded(name, NAME)}{tokens:>12,}  {100 * tokens / total:5.1f}%{beside}  "
        lines.append(line((figures, THEME.text), (FULL * round(BAR * tokens / longest), THEME.accent)))
    return lines


def padded(text: str, cells: int) -> str:
    """`text` in exactly `cells` cells."""
    return set_cell_size(fit(text, cells), cells)


def bill_rows(bill: Spent) -> list[Line]:
    """Requests, tokens by how they were paid, and the sum."""
    usage = bill.usage
    parts = (
        ("read from the cache", usage.cache_read),
        ("written to the cache", usage.cache_creation),
        ("sent uncached", usage.input),
        ("answered", usage.output),
    )
    total = max(1, usage.context)
    rows = [plain(f"  {padded(name, NAME)}{tokens:>15,}  {100 * tokens / total:5.1f}%") for name, tokens in parts]
    if bill.rehearsed:
        told = f"  {counted(bill.rehearsed, 'request')} went to the rehearsal, which takes no money"
        rows.append(plain(f"{told}: {dollars(bill.pretended)} at the models' prices, not in the sum", THEME.dim))
    if bill.unpriced:
        rows.append(plain(f"  no price is known for {fit(', '.join(bill.unpriced), 100)}: not in the sum", THEME.warn))
    return rows


def money(bill: Spent) -> str:
    """The sum, as far as prices are known."""
    if bill.dollars is None:
        return "price unknown"
    return f"{dollars(bill.dollars)}{' at least' if bill.unpriced else ''}"


def day(timestamp: str) -> str:
    """A record's timestamp in the person's own time, to the minute; as it stands when it is none."""
    try:
        return datetime.fromisoformat(timestamp.replace("Z", "+00:00")).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return fit(timestamp, 16)


def joined(parts: Iterable[str]) -> str:
    """The parts that say something, with dots between them."""
    return " · ".join(part for part in parts if part)


def share(part: int, whole: int) -> str:
    """`part` of `whole` in whole percent."""
    return f"{100 * part / max(1, whole):.0f}%"


def median(numbers: Sequence[int]) -> int:
    """The middle one, 0 of none."""
    return sorted(numbers)[len(numbers) // 2] if numbers else 0
