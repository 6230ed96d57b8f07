"""The comparison as a Markdown table, and as a picture of price against future-reference recall."""

from collections.abc import Sequence

from tests.bench.compaction.rows import KINDS, Row

HEAD = (
    *("policy", "summary", "rules", "decisions", "corrections", "todos", "files", "tests", "unseen"),
    *("late", "stale", "zombie", "promoted", "FRR@10", "Rec@2", "compactions", "after", "context $", "wait s", "U"),
)
WIDTH, HEIGHT, LEFT, BOTTOM = 760, 460, 60, 50
LABELS = {"perfect": (0, -9, "middle"), "0.9": (0, 17, "middle"), "0.5": (7, 4, "start"), "empty": (-8, 4, "end")}
COLOURS = {"ours": "#c0392b"}
OTHERS = ("#2c7fb8", "#7a5195", "#2e8b57", "#b8860b", "#708090", "#444444")


def table(rows: Sequence[Row]) -> str:
    """All rows; shares of what should have stood, counts over all compactions, medians of tokens, totals of dollars and seconds."""
    lines = ["| " + " | ".join(HEAD) + " |", "|---|---|" + "---:|" * (len(HEAD) - 2)]
    lines += ["| " + " | ".join(_cells(row)) + " |" for row in rows]
    return "\n".join(lines)


def _cells(row: Row) -> list[str]:
    natural, planted = row.natural, row.planted
    after = sorted(natural.after)
    return [
        f"**{row.name}**" if row.name == "ours" else row.name,
        row.dial or "-",
        *(_share(row.kept(kind)) for kind in KINDS),
        _share(row.kept(half="unseen")),
        _share(row.kept(half="late")),
        *([str(planted.stale), str(planted.zombies), str(planted.promoted)] if planted.kept else "---"),
        _share(natural.future.value),
        _share(natural.recalled.value),
        str(len(after)),
        f"{after[len(after) // 2]:,}" if after else "-",
        f"{natural.bill.context:.2f}",
        f"{natural.bill.waited:.0f}",
        "-" if row.utility is None else f"{row.utility:.2f}",
    ]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}".removeprefix("0") if value < 1 else "1"


def plot(rows: Sequence[Row]) -> str:
    """An SVG: dollars to the right, FRR@10 up; one colour a policy, one mark a summariser. Rolling masks that cost far more are at the edge."""
    shown = [row for row in rows if row.natural.future.value is not None]
    most = sorted(row.natural.bill.context for row in shown)[-2] * 1.05
    least = min(row.natural.bill.context for row in shown) * 0.95
    names = list(dict.fromkeys(row.name for row in shown))
    colour = {name: COLOURS.get(name, OTHERS[at % len(OTHERS)]) for at, name in enumerate(names)}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 190} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH + 190}" height="{HEIGHT}" fill="white"/>',
        *_axes(least, most),
    ]
    for row in shown:
        x, y = _place(min(row.natural.bill.context, most), least, most, row.natural.future.value or 0.0)
        edge = " →" if row.natural.bill.context > most else ""
        parts.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="5" fill="{colour[row.name]}"/>')
        right, down, anchor = LABELS.get(row.dial, (7, 4, "start"))
        at = f'x="{x + right:.0f}" y="{y + down:.0f}" text-anchor="{anchor}"'
        parts.append(f'<text {at} font-size="10" fill="#555">{row.dial}{edge}</text>')
    for at, name in enumerate(names):
        y = 40 + 22 * at
        parts.append(f'<circle cx="{WIDTH + 10}" cy="{y}" r="5" fill="{colour[name]}"/>')
        parts.append(f'<text x="{WIDTH + 22}" y="{y + 4}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _place(dollars: float, least: float, most: float, share: float) -> tuple[float, float]:
    x = LEFT + (dollars - least) / (most - least) * (WIDTH - LEFT - 40)
    return x, HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - 30)


def _axes(least: float, most: float) -> list[str]:
    lines = []
    for tenth in range(0, 11, 2):
        _x, y = _place(least, least, most, tenth / 10)
        lines.append(f'<line x1="{LEFT}" y1="{y:.0f}" x2="{WIDTH - 20}" y2="{y:.0f}" stroke="#ddd"/>')
        lines.append(f'<text x="{LEFT - 30}" y="{y + 4:.0f}">{tenth / 10:.1f}</text>')
    for at in range(6):
        dollars = least + (most - least) * at / 5
        x, y = _place(dollars, least, most, 0)
        lines.append(f'<text x="{x - 12:.0f}" y="{y + 20:.0f}">${dollars:.0f}</text>')
    lines.append(f'<text x="{LEFT}" y="18">future-reference recall (FRR@10) against the price of the context</text>')
    return lines
